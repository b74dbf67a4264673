import {
  askedFor,
  type Connection,
  type Considered,
  createLoginStore,
  type Lender,
  loginCommand,
  type LoginStore,
} from "../../auth/index.ts";
import type { Browsers, CookieReader } from "../../browsers/index.ts";
import type { Cookie } from "../../cookies/index.ts";
import { readBytes, type TracedHop } from "../../http/index.ts";
import { type Clock, DeputyError, shellWord } from "../../kernel/index.ts";
import type { SkillLibrary } from "../../skills/index.ts";
import type { AuthTrace, BrowseMethods, ConsideredRow, CookieTrace } from "./browse-methods.ts";
import { findConnection } from "../logins/find-connection.ts";
import { isAddress } from "../is-address.ts";
import type { Calls } from "../methods.ts";
import type { IdentifyBy } from "../logins/site-borrow.ts";
import type { SkillsAt } from "../logins/skills-at.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly library: SkillLibrary;
  readonly skillsAt: SkillsAt;
  readonly lender: () => Promise<Lender>;
  readonly browsers: Browsers;
  readonly clock: Clock;
  readonly identifyBy: IdentifyBy;
}

const PREVIEW_BYTES = 2048;

/** What Deputy would do and why, for people who write skills: every choice explained, no value shown. */
export function createBrowseCalls(parts: Parts): Calls<keyof BrowseMethods> {
  const { clock, browsers } = parts;

  async function trace({ connection, skill, foreign }: Found, asked: Asked): Promise<AuthTrace> {
    const started = performance.now();
    const { account, provider } = asked;
    const identify = foreign.length > 0 ? undefined : parts.identifyBy(skill, connection);
    const found = await (await parts.lender()).find({ connection, account, provider, identify, dry: true });
    const loan = found.kind === "lent" ? found.loan : undefined;
    const nobody = loan !== undefined && loan.identity === null;
    return {
      domain: connection.domain,
      skill: skill?.id ?? null,
      connection: connection.name,
      type: connection.auth?.type ?? "none",
      outcome: found.kind !== "lent" ? found.kind : nobody ? "anonymous" : "resolved",
      account: loan?.identity?.identifier ?? null,
      provider: loan === undefined || nobody ? null : loan.provider,
      accounts: found.kind === "ambiguous" ? found.accounts : [],
      login: found.kind === "needs-login" ? loginCommand(connection, account) : null,
      considered: (found.kind === "lent" ? found.loan.considered : found.considered).map(row),
      duration_ms: Math.round((performance.now() - started) * 10) / 10,
    };
  }

  return {
    "browse.auth": async (input) => trace(await findConnection(parts, input), input),

    "browse.cookies": async (input) => {
      const { connection } = await findConnection(parts, input);
      const { domain } = connection;
      const store = createLoginStore({ vault: await parts.door.get(), clock });
      const rows = input.provider === undefined ? inVault(store, domain) : [];
      for (const [id, reader] of readers(browsers, input.provider)) {
        const { cookies } = await reader.read({ under: domain });
        rows.push(...cookies.map((cookie) => traced(cookie, id, null)));
      }
      return rows.filter(({ account }) => input.account === undefined || account === input.account);
    },

    "browse.request": async (input, { signal }) => {
      const { connection, skill, foreign } = await findConnection(parts, input);
      const { account, provider } = input;
      if (skill !== null && foreign.length > 0 && !(await parts.skillsAt.isAllowed(skill, connection.domain)))
        throw leadsElsewhere(connection, foreign);
      const identify = foreign.length > 0 ? undefined : parts.identifyBy(skill, connection);
      const loan = await (await parts.lender()).lend({ connection, account, provider, identify, signal });
      const hops: TracedHop[] = [];
      const body = input.body === undefined ? {} : { body: Buffer.from(input.body, "base64") };
      const { url, method, headers } = input;
      const response = await loan.send(
        { url, method, headers, ...body },
        { signal, trace: (hop) => hops.push(hop) },
      );
      const bytes = await readBytes(response);
      const values = Object.values(await loan.auth()).filter((value) => typeof value === "string");
      return {
        hops: hops.map((hop) => withoutValues(hop, values)),
        account: loan.identity?.identifier ?? null,
        provider: loan.provider,
        bytes: bytes.length,
        preview: Buffer.from(bytes.subarray(0, PREVIEW_BYTES)).toString(),
      };
    },
  };
}

/** Looking at what a skill would send is no permission to send it. */
function leadsElsewhere({ skill, domain }: Connection, foreign: readonly string[]): DeputyError {
  return new DeputyError("DENIED", `${skill} would send the login of ${domain} to ${foreign.join(", ")}`, {
    hint: `If that is right, allow it: deputy grants add --skill ${shellWord(skill)} --identity ${shellWord(domain)}`,
  });
}

type Found = Awaited<ReturnType<typeof findConnection>>;

interface Asked {
  readonly account?: string;
  readonly provider?: string;
}

function row(one: Considered): ConsideredRow {
  const { provider, account, cookies, newestAt, verdict, problem } = one;
  const newest_at = newestAt === null ? null : new Date(newestAt).toISOString();
  const known = { provider, account, cookies, newest_at, verdict, why: WHY[verdict] };
  return { ...known, ...(problem === undefined ? {} : { problem }) };
}

const WHY: Record<Considered["verdict"], string> = {
  chosen: "it would be used",
  older: "a newer or an equal one was found first",
  "another-account": "it belongs to another account than the one asked for",
  excluded: "the service has just refused it",
  empty: "it has no cookies of this domain",
  incomplete: "it lacks a cookie the login is made of",
  unreadable: "it could not be read",
  "failed-check": "the service does not take it",
  ambiguous: "there are several accounts, and none was named",
};

/** Every browser profile, or those that were named, or the running browser at an address. */
function readers(browsers: Browsers, asked: string | undefined): (readonly [id: string, CookieReader])[] {
  if (asked !== undefined && isAddress(asked)) return [[asked, browsers.live(asked)]];
  const all = browsers
    .list()
    .map((profile) => ({ id: `${profile.browser}/${profile.profile}`, live: false, profile }));
  return askedFor(all, asked).map(({ id, profile }) => [id, browsers.reader(profile)]);
}

/** Values too short to be masked in a page are masked in what was sent: there they are no chance. */
function withoutValues(hop: TracedHop, values: readonly string[]): TracedHop {
  const hide = (text: string) =>
    values.reduce((left, value) => (value === "" ? left : left.replaceAll(value, "[redacted]")), text);
  const sent = hop.sent.map(([name, value]) => [name, hide(value)] as const);
  const { search } = new URL(hop.url);
  return { ...hop, sent, url: search === "" ? hop.url : hop.url.replace(search, hide(search)) };
}

function inVault(store: LoginStore, domain: string): CookieTrace[] {
  return store.accounts(domain).flatMap((identifier) => {
    const login = store.find({ domain, identifier });
    return (login?.cookies ?? []).map((cookie) => traced(cookie, "vault", identifier));
  });
}

function traced(cookie: Cookie, from: string, account: string | null): CookieTrace {
  const { name, domain, hostOnly, path, expires, updated, secure, httpOnly, sameSite, kind } = cookie;
  return {
    name,
    domain: hostOnly ? domain : `.${domain}`,
    path,
    from,
    account,
    updated_at: new Date(updated).toISOString(),
    expires_at: expires === null ? null : new Date(expires).toISOString(),
    secure,
    http_only: httpOnly,
    same_site: sameSite,
    kind,
  };
}
