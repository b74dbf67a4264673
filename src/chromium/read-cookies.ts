import { isUtf8 } from "node:buffer";
import type { PartitionKey, Priority, SameSite, SourceScheme, Unlabelled } from "../cookies/index.ts";
import type { SqlValue } from "../platform/index.ts";
import type { Row } from "./select-rows.ts";
import { type ChromiumStore, prefixOf, type SealProblem } from "./store.ts";
import { fromWebKitTime } from "./webkit-time.ts";

/** A row that did not become a cookie, and why. Never its value. */
export interface RowProblem {
  readonly code: SealProblem | "MALFORMED" | "NOT_TEXT";
  readonly domain: string;
  readonly name: string;
}

type CookieOutline = Pick<
  Unlabelled,
  "name" | "domain" | "hostOnly" | "expires" | "httpOnly" | "partitionKey"
>;

// net/cookies/cookie_constants.h: CookieSameSite, CookiePriority, CookieSourceScheme.
const SAME_SITE: Record<string, SameSite> = { "-1": "unset", "0": "none", "1": "lax", "2": "strict" };
const PRIORITY: Record<string, Priority> = { "0": "low", "1": "medium", "2": "high" };
const SOURCE_SCHEME: Record<string, SourceScheme> = { "0": "unset", "1": "nonsecure", "2": "secure" };

/** The prefixes of the sealed values, which say what keys it takes to open them. */
export function sealPrefixes(rows: readonly Row[]): Set<string> {
  const prefixes = new Set<string>();
  for (const { sealed } of rows)
    if (sealed instanceof Uint8Array && sealed.length > 0) prefixes.add(prefixOf(sealed));
  return prefixes;
}

/** Rows into cookies. A row that cannot be opened or believed costs that row. */
export function readCookies(
  rows: readonly Row[],
  store: ChromiumStore,
): { cookies: Unlabelled[]; problems: RowProblem[] } {
  const cookies: Unlabelled[] = [];
  const problems: RowProblem[] = [];
  for (const row of rows) {
    const outcome = cookieOf(row, store);
    if (typeof outcome === "string") {
      const [domain, name] = [textOf(row.hostKey) ?? "", textOf(row.name) ?? ""];
      problems.push({
        code: outcome,
        domain: domain.replace(/^\./, "").slice(0, 253),
        name: name.slice(0, 100),
      });
    } else cookies.push(outcome);
  }
  return { cookies, problems };
}

/** What rows say of their cookies in clear: nothing is opened, and it takes no key. */
export function readOutlines(rows: readonly Row[]): CookieOutline[] {
  return rows.flatMap((row) => outlineOf(row) ?? []);
}

function outlineOf(row: Row): CookieOutline | undefined {
  const hostKey = textOf(row.hostKey);
  const name = textOf(row.name);
  const expires = timeOf(row.expires);
  if (hostKey === undefined || hostKey.length < 2 || name === undefined || expires === undefined)
    return undefined;
  const hostOnly = !hostKey.startsWith(".");
  const domain = hostOnly ? hostKey : hostKey.slice(1);
  const endsWithSession = !isTrue(row.hasExpires) || !isTrue(row.persistent) || row.expires === 0n;
  return {
    name,
    domain: domain.toLowerCase(),
    hostOnly,
    expires: endsWithSession ? null : expires,
    httpOnly: isTrue(row.httpOnly),
    partitionKey: partitionOf(row, domain),
  };
}

function cookieOf(row: Row, store: ChromiumStore): Unlabelled | RowProblem["code"] {
  const outline = outlineOf(row);
  const path = textOf(row.path);
  const sourcePort = Number(row.sourcePort);
  const created = timeOf(row.created);
  if (outline === undefined || !path?.startsWith("/")) return "MALFORMED";
  if (created === undefined || !Number.isInteger(sourcePort)) return "MALFORMED";
  const value = valueOf(row, store);
  if (typeof value !== "object") return value;
  return {
    ...outline,
    value: value.text,
    path,
    secure: isTrue(row.secure),
    sameSite: SAME_SITE[String(row.sameSite)] ?? "unset",
    sourceScheme: SOURCE_SCHEME[String(row.sourceScheme)] ?? "unset",
    sourcePort,
    priority: PRIORITY[String(row.priority)] ?? "medium",
    created,
    updated: row.updated === 0n ? created : (timeOf(row.updated) ?? created),
  };
}

function valueOf(row: Row, store: ChromiumStore): { text: string } | RowProblem["code"] {
  if (!(row.sealed instanceof Uint8Array)) return "MALFORMED";
  if (row.sealed.length === 0) {
    const text = textOf(row.value);
    return text === undefined ? "MALFORMED" : { text };
  }
  const opened = store.open(row.sealed, textOf(row.hostKey) ?? "");
  if (opened.kind === "closed") return opened.problem;
  using value = opened.value;
  // A server may set any bytes, and Chromium sends them back as they are; a record holds text.
  return isUtf8(value.bytes()) ? { text: value.reveal() } : "NOT_TEXT";
}

function partitionOf(row: Row, domain: string): PartitionKey | null {
  const topLevelSite = textOf(row.topFrameSite) ?? "";
  if (topLevelSite === "") return null;
  // A store too old to say: a cookie of the top-level site itself had no ancestor between.
  const sameSite = `.${domain}`.endsWith(`.${topLevelSite.replace(/^[a-z]+:\/\//, "")}`);
  const crossSiteAncestor = row.crossSiteAncestor === null ? !sameSite : isTrue(row.crossSiteAncestor);
  return { topLevelSite, crossSiteAncestor };
}

// SQLite stores any type in any column, and a damaged or hostile store does.

function textOf(value: SqlValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function timeOf(value: SqlValue): number | undefined {
  return typeof value === "bigint" ? fromWebKitTime(value) : undefined;
}

function isTrue(value: SqlValue): boolean {
  return value === 1n;
}
