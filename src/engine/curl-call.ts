import {
  createLoginStore,
  createResolver,
  type CookieProvider,
  type Resolution,
  type Resolver,
  Turns,
} from "../auth/index.ts";
import type { Browsers } from "../browsers/index.ts";
import { type CookieChange, cookiesToHeader, Jar } from "../cookies/index.ts";
import type { Http, InResponse, Lease } from "../http/index.ts";
import { type Clock, DeputyError, Secret } from "../kernel/index.ts";
import { foldDomain, type Vault } from "../vault/index.ts";
import type { CallContext, Calls, Methods } from "./methods.ts";
import type { VaultDoor } from "./vault-door.ts";

interface Parts {
  readonly browsers: Browsers;
  readonly door: VaultDoor;
  readonly http: Http;
  readonly clock: Clock;
}

type Query = Methods["curl"]["in"];
type Resolved = Extract<Resolution, { kind: "resolved" }>;

/** Shorter values stand in pages by chance: masking them would garble the answer and protect nothing. */
const WORTH_MASKING = 8;

/** A request of the owner's own as one of their identities: chosen by the URL's domain, written back as it rotates. */
export function createCurlCall(parts: Parts): Calls<"curl"> {
  const { door, browsers, clock } = parts;
  const turns = new Turns();
  const resolvers = new WeakMap<Vault, Resolver>();

  async function resolver(): Promise<Resolver> {
    const vault = await door.get();
    let found = resolvers.get(vault);
    if (found === undefined) {
      const store = createLoginStore({ vault, clock });
      found = createResolver({ store, providers: () => providersOf(browsers), clock });
      resolvers.set(vault, found);
    }
    return found;
  }

  /** Within a turn where the session rotates: what the last call was given must be what this one sends. */
  async function attempt(query: Query, exclude: string[], context: CallContext): Promise<Answered> {
    const logins = await resolver();
    const domain = foldDomain(query.url);
    const wanted = { domain, account: query.account, provider: query.provider, exclude };
    const first = requireLogin(await logins.resolve(wanted), domain);
    if (!turns.isRotating(first.identity)) return send(query, first, logins, context);
    return turns.take(first.identity, async () => {
      const now = requireLogin(
        await logins.resolve({ ...wanted, account: first.identity.identifier }),
        domain,
      );
      return send(query, now, logins, context);
    });
  }

  async function send(
    query: Query,
    login: Resolved,
    logins: Resolver,
    context: CallContext,
  ): Promise<Answered> {
    const lease = leaseFor(query, login, (changes) => {
      if (rotates(login, changes)) turns.noteRotation(login.identity);
      logins.takeBack(login.identity, changes, "service");
    });
    const body = query.body === undefined ? {} : { body: Buffer.from(query.body, "base64") };
    const request = { method: query.method, url: query.url, headers: query.headers, ...body };
    const response = await turns.track(login.identity, parts.http.send(lease, request, context.signal));
    return { response, login };
  }

  /** None where the login was rotated by another call meanwhile: then the newest of the same account is the remedy. */
  async function failedProviders(query: Query, sent: Resolved): Promise<string[]> {
    await turns.settled(sent.identity);
    const { domain, identifier } = sent.identity;
    const wanted = { domain, account: identifier, provider: query.provider };
    const now = await (await resolver()).resolve(wanted);
    if (now.kind === "resolved" && cookieHeader(now) !== cookieHeader(sent)) {
      turns.noteRotation(sent.identity);
      return [];
    }
    return sent.provider === "cache" || sent.provider === "vault" ? ["cache", "vault"] : [sent.provider];
  }

  function leaseFor(
    query: Query,
    login: Resolved,
    onJarChange: (changes: readonly CookieChange[]) => void,
  ): Lease {
    const { identity } = login;
    return {
      identity,
      mode: "browser",
      baseUrl: new URL(new URL(query.url).origin),
      jar: new Jar({ cookies: login.login.cookies, now: () => clock.now() }),
      credential: null,
      egress: { domain: identity.domain, hosts: [] },
      secrets: login.login.cookies
        .filter(({ value }) => value.length >= WORTH_MASKING)
        .map(({ value }) => Secret.fromText(value)),
      onJarChange,
    };
  }

  return {
    curl: async (query, context) => {
      requireWebAddress(query.url);
      let answered = await attempt(query, [], context);
      // A refused request has done nothing, so it may be sent again: once, and only with another login.
      if (isRefused(answered.response)) {
        const exclude = await failedProviders(query, answered.login);
        answered = (await attempt(query, exclude, context).catch(ifNoLogin)) ?? answered;
      }
      const { response, login } = answered;
      for await (const chunk of response.body) {
        context.progress({ message: "body", chunk: Buffer.from(chunk).toString("base64") });
      }
      const { status, url, headers } = response;
      return { status, url, headers, account: login.identity.identifier, provider: login.provider };
    },
  };
}

interface Answered {
  readonly response: InResponse;
  readonly login: Resolved;
}

function cookieHeader({ login }: Resolved): string {
  return cookiesToHeader(login.cookies).text;
}

function ifNoLogin(error: unknown): undefined {
  if (error instanceof DeputyError && (error.code === "LOGIN_NEEDED" || error.code === "BAD_USAGE"))
    return undefined;
  throw error;
}

function isRefused(response: InResponse): boolean {
  return response.status === 401 || response.status === 403;
}

/** A cookie that was sent came back with another value. */
function rotates({ login }: Resolved, changes: readonly CookieChange[]): boolean {
  const sent = new Map(login.cookies.map(({ name, value }) => [name, value]));
  return changes.some(
    (change) =>
      change.kind === "set" &&
      sent.has(change.cookie.name) &&
      sent.get(change.cookie.name) !== change.cookie.value,
  );
}

function providersOf(browsers: Browsers): CookieProvider[] {
  return browsers.list().map((profile) => {
    const reader = browsers.reader(profile);
    return {
      id: `${profile.browser}/${profile.profile}`,
      live: false,
      stamp: () => reader.stamp(),
      async cookies(domain) {
        const { cookies, warnings } = await reader.read({ under: domain });
        // A partition's cookies belong to the site around them, not to this login.
        const own = cookies.filter(({ partitionKey }) => partitionKey === null);
        return { cookies: own, warnings: warnings.map(({ message }) => message) };
      },
    };
  });
}

function requireLogin(found: Resolution, domain: string): Resolved {
  switch (found.kind) {
    case "resolved":
      return found;
    case "ambiguous":
      throw new DeputyError(
        "BAD_USAGE",
        `There are several accounts at ${domain}: ${found.accounts.join(", ")}`,
        {
          hint: `Say which: --account ${found.accounts[0] ?? ""}`,
        },
      );
    case "needs-login": {
      const looked = found.considered.map(({ provider }) => provider);
      const where =
        looked.length === 0 ? "There is no browser to look in." : `Looked in ${looked.join(", ")}.`;
      throw new DeputyError("LOGIN_NEEDED", `There is no login for ${domain}`, {
        hint: `${where} Log in there, or store one: deputy vault set ${domain} ACCOUNT --type cookies`,
      });
    }
  }
}

function requireWebAddress(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new DeputyError("BAD_INPUT", "Cannot use the URL: it is not a web address", {
    hint: "Give it whole, such as https://example.com/",
  });
}
