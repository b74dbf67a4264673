import { isIP } from "node:net";
import type { Grants, Policy } from "../../access/index.ts";
import { createLoginStore, type Lender, severalAccounts } from "../../auth/index.ts";
import type { Browsers, CookieReader } from "../../browsers/index.ts";
import {
  type Cookie,
  cookiesFor,
  cookiesToHeader,
  cookiesToJson,
  cookiesToNetscape,
  cookiesToStorageState,
  type Loss,
} from "../../cookies/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import { foldDomain, rowKey } from "../../vault/index.ts";
import { BuiltInPermit } from "../grants/built-in-permit.ts";
import { isAddress } from "../is-address.ts";
import type { Calls, Methods } from "../methods.ts";
import { cookieBorrow, type IdentifyBy } from "../logins/site-borrow.ts";
import type { SkillsAt } from "../logins/skills-at.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly browsers: Browsers;
  readonly door: VaultDoor;
  readonly clock: Clock;
  readonly policy: () => Policy;
  readonly skillsAt: SkillsAt;
  readonly lender: () => Promise<Lender>;
  readonly grants: () => Promise<Grants>;
  readonly identifyBy: IdentifyBy;
}

type Query = Methods["cookies"]["in"];
type Target = { readonly url: string } | { readonly host: string };

/** One identity's cookies for the target, and where they came from. */
interface Found {
  readonly source: string | null;
  readonly cookies: readonly Cookie[];
  readonly warnings: readonly string[];
}

export function createCookieCalls(parts: Parts): Calls<"browsers" | "cookies"> {
  return {
    browsers: async () => parts.browsers.discover(),
    cookies: async (query, { caller }) => {
      const target = targetOf(query);
      const use = { caller, subject: "@cookies", operation: "read", effect: "read" } as const;
      const permit = await BuiltInPermit.for(parts.grants, use);
      permit.requireAny(foldDomain("host" in target ? target.host : target.url), query.account);
      const found = underPolicy(parts.policy(), await find(parts, permit, query, target));
      const { text, lost } = write(found.cookies, query.format, parts.clock.now());
      const warnings = [...found.warnings, ...describeLosses(lost, query.format)];
      return { text, count: found.cookies.length, source: found.source, warnings };
    },
  };
}

/** What the owner does not let move anywhere is not printed either. */
function underPolicy(policy: Policy, found: Found): Found {
  const judged = found.cookies.map((cookie) => ({
    cookie,
    verdict: policy.allows(cookie, { kind: "surface", name: "cookies" }),
  }));
  const reasons = new Set(
    judged.flatMap(({ verdict }) => (verdict.ok ? [] : [`left out cookies: ${verdict.reason}`])),
  );
  const cookies = judged.filter(({ verdict }) => verdict.ok).map(({ cookie }) => cookie);
  return { ...found, cookies, warnings: [...found.warnings, ...reasons] };
}

function targetOf(query: Query): Target {
  if ((query.url === undefined) === (query.domain === undefined)) {
    throw new DeputyError("BAD_USAGE", "Say for whom: a URL or a domain", {
      hint: "For example: deputy cookies --url https://example.com/",
    });
  }
  if (query.account !== undefined && (query.browser ?? query.profile) !== undefined) {
    throw new DeputyError(
      "BAD_USAGE",
      "Say from where: a browser's profile or an account of the vault, not both",
      {
        hint: "Leave out --account, or --browser and --profile.",
      },
    );
  }
  if (query.domain !== undefined) {
    foldDomain(query.domain); // throws if it is none
    return { host: query.domain };
  }
  const url = query.url ?? "";
  if (!URL.canParse(url) || !/^(https?|wss?):$/.test(new URL(url).protocol)) {
    throw new DeputyError("BAD_INPUT", "Cannot use the URL: it is not a web address", {
      hint: "Give it whole, such as https://example.com/",
    });
  }
  return { url };
}

function find(parts: Parts, permit: BuiltInPermit, query: Query, target: Target): Promise<Found> {
  if (query.account !== undefined) return inVault(parts, permit, query, target);
  const named = (query.browser ?? query.profile) !== undefined;
  // Before there is a vault, the browsers are all there is.
  return named || parts.door.header() === undefined
    ? inBrowsers(parts, query, target)
    : resolved(parts, permit, target);
}

/** The identity a request would have, as `deputy curl` finds it. */
async function resolved(parts: Parts, permit: BuiltInPermit, target: Target): Promise<Found> {
  const lender = await parts.lender();
  const borrow = await cookieBorrow(parts, lender, { url: asUrl(target) });
  const found = await lender.find(borrow);
  if (found.kind === "ambiguous") throw severalAccounts(borrow.connection, found.accounts);
  const identity = found.kind === "lent" ? found.loan.identity : null;
  const { considered } = found.kind === "lent" ? found.loan : found;
  const told = considered.filter(({ verdict }) => identity === null || verdict === "chosen");
  const warnings = told.flatMap(({ provider, problem }) =>
    problem === undefined ? [] : [`${provider}: ${problem}`],
  );
  if (identity === null) return { source: null, cookies: [], warnings };
  permit.requireIdentity(identity);
  const login = createLoginStore({ vault: await parts.door.get(), clock: parts.clock }).find(identity);
  const cookies = cookiesFor(login?.cookies ?? [], target, { now: parts.clock.now() });
  return { source: identity.identifier, cookies, warnings };
}

function asUrl(target: Target): string {
  if ("url" in target) return target.url.replace(/^ws/i, "http");
  const host = target.host.replace(/^\.+/, "");
  return `https://${isIP(host) === 6 ? `[${host}]` : host}/`;
}

/** The profile that was named; else the one whose cookies for the target are the freshest. */
async function inBrowsers({ browsers, clock }: Parts, query: Query, target: Target): Promise<Found> {
  const host = "host" in target ? target.host : new URL(target.url).hostname;
  const found: Found[] = [];
  for (const [source, reader] of readersFor(browsers, query)) {
    const read = await reader.read({ host });
    const cookies = cookiesFor(read.cookies, target, { now: clock.now() });
    const warnings = read.warnings.map((warning) => `${source}: ${warning.message}`);
    found.push({ source, cookies, warnings });
  }
  const best = found.filter((one) => one.cookies.length > 0).sort((a, b) => freshness(b) - freshness(a))[0];
  // With nothing to show, what could not be read is the likely reason.
  return best ?? { source: null, cookies: [], warnings: found.flatMap((one) => one.warnings) };
}

/** The profile or the running browser that was named, else every profile. */
function readersFor(browsers: Browsers, query: Query): [source: string, reader: CookieReader][] {
  const { browser = "" } = query;
  if (isAddress(browser)) return [["live browser", browsers.live(browser)]];
  const named = query.browser !== undefined || query.profile !== undefined;
  const profiles = named ? [browsers.find(query)] : browsers.list();
  return profiles.map((profile) => [`${profile.browser}/${profile.profile}`, browsers.reader(profile)]);
}

function freshness(found: Found): number {
  return Math.max(...found.cookies.map((cookie) => Math.max(cookie.created, cookie.updated)));
}

async function inVault(
  { door, clock }: Parts,
  permit: BuiltInPermit,
  query: Query,
  target: Target,
): Promise<Found> {
  const domain = foldDomain("host" in target ? target.host : target.url);
  const key = rowKey(domain, query.account ?? "", "cookies");
  permit.requireIdentity(key);
  const login = createLoginStore({ vault: await door.get(), clock }).find(key);
  if (login === undefined) {
    throw new DeputyError(
      "NOT_FOUND",
      `There are no cookies of ${key.identifier} at ${key.domain} in the vault`,
      { hint: "See what there is: deputy vault list" },
    );
  }
  return {
    source: key.identifier,
    cookies: cookiesFor(login.cookies, target, { now: clock.now() }),
    warnings: [],
  };
}

function write(
  cookies: readonly Cookie[],
  format: Query["format"],
  now: number,
): { text: string; lost: Loss[] } {
  switch (format) {
    case "header":
      return cookiesToHeader(cookies);
    case "json":
      return { text: cookiesToJson(cookies), lost: [] };
    case "netscape":
      return cookiesToNetscape(cookies);
    case "storage-state":
      return cookiesToStorageState(cookies, { now });
  }
}

function describeLosses(lost: readonly Loss[], format: Query["format"]): string[] {
  const lines = lost
    .filter((loss) => loss.field === "cookie")
    .map((loss) => `left out ${loss.name} of ${loss.domain}: ${loss.reason}`);
  const fields = new Set(lost.map((loss) => loss.field).filter((field) => field !== "cookie"));
  // A header is names and values by nature: nobody who asks for one misses the rest.
  if (fields.size > 0 && format !== "header")
    lines.push(`${format} does not carry ${[...fields].join(", ")}`);
  return lines;
}
