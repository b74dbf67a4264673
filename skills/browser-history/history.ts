import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "deputize/skill";

interface Visit {
  readonly id: number;
  readonly url: string;
  readonly title: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly seconds: number | null;
}

/** Microseconds since 1601, as Chromium counts, and since 1970, as Firefox does. */
const CHROMIUM = `
  SELECT v.id, u.url, u.title, v.visit_time / 1000 - 11644473600000 AS at, v.visit_duration / 1000000.0 AS seconds
  FROM visits v JOIN urls u ON u.id = v.url WHERE u.hidden = 0`;
const FIREFOX = `
  SELECT v.id, p.url, p.title, v.visit_date / 1000 AS at, NULL AS seconds
  FROM moz_historyvisits v JOIN moz_places p ON p.id = v.place_id WHERE p.hidden = 0`;

export async function listVisits(run: Run) {
  const { params } = run;
  const words = String(params["query"] ?? "")
    .split(/\s+/)
    .filter(Boolean);
  const visits = await everyVisit(
    run,
    words.map((_, n) => `AND (title LIKE :w${n} ESCAPE '\\' OR url LIKE :w${n} ESCAPE '\\')`).join(" "),
    Object.fromEntries(words.map((word, n) => [`w${n}`, `%${word.replace(/[\\%_]/g, "\\$&")}%`])),
  );
  return visits
    .sort((one, other) => other.at - one.at)
    .slice(0, limit(params["limit"]))
    .map(({ id, url, title, at, seconds, profile }) => ({
      id: `${profile}/${id}`,
      name: title || url,
      url,
      visited: new Date(at).toISOString(),
      ...(seconds === null ? {} : { duration_seconds: seconds }),
      page: { webpage: { url, name: title || url } },
    }));
}

export async function listTopSites(run: Run) {
  const counts = new Map<string, number>();
  for (const { url } of await everyVisit(run, "", {})) {
    const host = URL.canParse(url) ? new URL(url).host : "";
    if (host !== "") counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, limit(run.params["limit"]))
    .map(([host, visits]) => ({ id: host, name: host, url: `https://${host}/`, text: `${visits} visits` }));
}

async function everyVisit(run: Run, condition: string, words: Record<string, string>) {
  const { params, sql } = run;
  const values = {
    ...words,
    since: time(params["since"], 0),
    until: time(params["until"], Number.MAX_SAFE_INTEGER),
    limit: condition === "" && params["query"] === undefined ? 50_000 : limit(params["limit"]),
  };
  const found: (Visit & { profile: string })[] = [];
  for (const { file, query, profile } of databases(run)) {
    if (params["profile"] !== undefined && params["profile"] !== profile) continue;
    const visits = await sql.query<Visit>(
      `SELECT * FROM (${query}) WHERE at >= :since AND at < :until ${condition} ORDER BY at DESC LIMIT :limit`,
      { db: file, params: values },
    );
    found.push(...visits.map((visit) => ({ ...visit, profile })));
  }
  return found;
}

/** The history of every profile there is. */
function databases({ connection }: Run): { file: string; query: string; profile: string }[] {
  const vars = connection?.["vars"] as Record<string, string> | undefined;
  const kinds = { History: CHROMIUM, "places.sqlite": FIREFOX };
  const found = Object.values(vars ?? {}).flatMap((folder) =>
    list(folder).flatMap((profile) => {
      const files = list(join(folder, profile));
      return Object.entries(kinds)
        .filter(([name]) => files.includes(name))
        .map(([name, query]) => ({ file: join(folder, profile, name), query, profile }));
    }),
  );
  if (found.length > 0) return found;
  throw new Error("This browser has no history here that may be read. Another one is named by `connection`.");
}

/** What is not there, or was not allowed, holds nothing. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function limit(asked: unknown): number {
  return Math.min(Math.max(Number(asked) || 50, 1), 1000);
}

function time(given: unknown, otherwise: number): number {
  return typeof given === "string" ? Date.parse(given) : otherwise;
}
