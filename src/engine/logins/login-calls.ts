import {
  type Connection,
  createLoginStore,
  type Identify,
  isTelling,
  type Lender,
  type OAuthStep,
  oauthNeeds,
  placementFields,
  type SignedIn,
  signInWithCookies,
  signInWithKey,
  signInWithOAuth,
} from "../../auth/index.ts";
import type { Browsers } from "../../browsers/index.ts";
import type { Expressions } from "../../expressions/index.ts";
import type { Http, TransportPool } from "../../http/index.ts";
import { type Clock, DeputyError, newId, Secret } from "../../kernel/index.ts";
import { type Environment, openPage } from "../../platform/index.ts";
import type { SkillLibrary } from "../../skills/index.ts";
import { findConnection, type FoundConnection } from "./find-connection.ts";
import type { LiveProviders } from "./lenders.ts";
import type { LoginDone, LoginMethods, LoginPlan } from "./login-methods.ts";
import { openLoginWindow, windowProgram } from "./login-window.ts";
import type { Calls } from "../methods.ts";
import type { IdentifyBy } from "./site-borrow.ts";
import type { SkillsAt } from "./skills-at.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly door: VaultDoor;
  readonly library: SkillLibrary;
  readonly skillsAt: SkillsAt;
  readonly lender: () => Promise<Lender>;
  readonly live: LiveProviders;
  readonly browsers: Browsers;
  readonly http: Http;
  readonly pool: Pick<TransportPool, "drop">;
  readonly expressions: Expressions;
  readonly env: Environment;
  readonly clock: Clock;
  readonly identifyBy: IdentifyBy;
}

type Paste = Extract<OAuthStep, { kind: "open" }>["paste"];

/** A login by the person at the terminal. Nothing is stored before the service, or the person, has said it is one. */
export function createLoginCalls(parts: Parts): Calls<keyof LoginMethods> {
  const flows = new Map<string, Paste>();

  return {
    "login.plan": async (input) => {
      return plan(parts, await findConnection(parts, input, { forLogin: true }));
    },

    "login.key": async (input, { signal }) => {
      const { connection } = await findConnection(parts, input, { forLogin: true });
      const auth = required(connection, "api_key");
      const { account, values } = input;
      const vault = await parts.door.get();
      return done(
        "api_key",
        await signInWithKey({ ...parts, vault }, connection, auth, { account, values, signal }),
      );
    },

    "login.oauth": async (input, { signal, progress }) => {
      const { connection } = await findConnection(parts, input, { forLogin: true });
      const auth = required(connection, "oauth");
      const vault = await parts.door.get();
      const flow = newId("login");
      const onStep = (step: OAuthStep) => {
        if (step.kind === "code")
          return progress({ message: "Type the code at", url: step.url, code: step.code });
        flows.set(flow, step.paste);
        const opened = input.open === true && openPage(step.url, parts.env);
        const message = opened ? "Log in in the browser window that has opened" : "Open this page and log in";
        return progress({ message, url: step.url, flow });
      };
      const client = input.client && {
        clientId: input.client.client_id,
        clientSecret:
          input.client.client_secret === undefined ? null : Secret.fromText(input.client.client_secret),
      };
      try {
        const { account, device = false } = input;
        const given = { account, client, device, onStep, signal };
        return done("oauth", await signInWithOAuth({ ...parts, vault }, connection, auth, given));
      } finally {
        flows.delete(flow);
      }
    },

    "login.paste": async ({ flow, address }) => {
      const taken = flows.get(flow)?.(address);
      if (taken?.kind === "accepted") return { accepted: true, reason: null };
      return { accepted: false, reason: taken?.reason ?? "the login is over" };
    },

    "login.cookies": async (input, { signal, progress }) => {
      const found = await findConnection(parts, input, { forLogin: true });
      const { connection } = found;
      const auth = required(connection, "cookies");
      const identify = identifyOf(parts, found);
      const page = pageOf(connection);
      const { account, wait_ms: waitMs } = input;
      const onWaiting = () =>
        progress({ message: "Waiting for the login", ...(page === null ? {} : { url: page }) });
      const program = input.window === true ? windowProgram(parts.env) : undefined;
      const lender = await parts.lender();
      const logins = createLoginStore({ vault: await parts.door.get(), clock: parts.clock });
      const to = { lender, logins, clock: parts.clock };
      const given = { account, identify, waitMs, onWaiting, signal };
      if (program === undefined || page === null) {
        return done(
          "cookies",
          await signInWithCookies(to, connection, auth, { ...given, provider: input.provider }),
        );
      }
      await using window = await openLoginWindow(parts, program, { page, domain: connection.domain });
      using _registered = parts.live.register(window.provider);
      onWaiting();
      if (!isTelling(auth, identify)) await until(() => window.isClosed(), waitMs, signal);
      const provider = window.provider.id;
      const isOver = () => window.isClosed();
      return done("cookies", await signInWithCookies(to, connection, auth, { ...given, provider, isOver }));
    },
  };
}

/** A login of another service is not handed to the skill to learn its name. */
function identifyOf(parts: Parts, { connection, skill, foreign }: FoundConnection): Identify | undefined {
  return foreign.length > 0 ? undefined : parts.identifyBy(skill, connection);
}

async function plan(parts: Parts, found: FoundConnection): Promise<LoginPlan> {
  const { connection, skill, foreign } = found;
  const { auth, domain, label, helpUrl } = connection;
  if (auth === null) {
    throw new DeputyError("BAD_USAGE", `${connection.name} of ${connection.skill} needs no login`, {
      hint: `Use it as it is: deputy skills show ${connection.skill}`,
    });
  }
  const cookies = auth.type === "cookies" ? auth : undefined;
  // Opened whatever the kind: nobody types a key, or logs in, for a vault that cannot take it.
  const vault = await parts.door.get();
  const needs = auth.type === "oauth" ? oauthNeeds(vault, auth) : undefined;
  const client = needs?.client;
  const missing =
    client === undefined || (needs?.service.secret === "needed" && client.clientSecret === null);
  return {
    domain,
    skill: skill?.id ?? null,
    connection: connection.name,
    type: auth.type,
    could_go_to: foreign,
    label,
    help_url: helpUrl,
    page: pageOf(connection),
    fields: auth.type === "api_key" ? placementFields(auth.placement) : [],
    browsers:
      cookies === undefined ? [] : parts.browsers.list().map((one) => `${one.browser}/${one.profile}`),
    telling: cookies === undefined || isTelling(cookies, identifyOf(parts, found)),
    window: windowProgram(parts.env) !== undefined,
    ways: (cookies?.login ?? []).map((way) => {
      if (way.kind === "operation") return `deputy run ${skill?.id ?? connection.skill} ${way.operation}`;
      return way.kind === "sso" ? `with ${way.service}` : `by ${way.kind.replace("_", " ")}`;
    }),
    oauth:
      needs === undefined
        ? null
        : {
            service: needs.service.name ?? needs.service.domain,
            needs_client: missing,
            needs_secret: needs.service.secret === "needed",
            client_help_url: needs.service.helpUrl,
            redirect_uri_hint: redirectHint(needs.service),
          },
  };
}

type Service = ReturnType<typeof oauthNeeds>["service"];

function redirectHint({ redirect, redirectHost }: Service): string {
  if (redirect === "paste") return "https://localhost/callback";
  return `http://${redirectHost}${redirect === "fixed-port" ? ":8914" : ""}/callback`;
}

/** Where a person would go to log in. */
function pageOf({ baseUrl, helpUrl, auth, domain }: Connection): string | null {
  if (auth?.type !== "cookies") return helpUrl;
  return helpUrl ?? baseUrl?.href ?? `https://${domain}/`;
}

type AuthOf<T extends string> = Extract<NonNullable<Connection["auth"]>, { type: T }>;

function required<T extends LoginPlan["type"]>(connection: Connection, type: T): AuthOf<T> {
  const { auth } = connection;
  if (auth?.type === type) return auth as AuthOf<T>;
  throw new DeputyError("BAD_USAGE", `${connection.domain} takes no login of type ${type} here`, {
    hint: `See what it takes: deputy login ${connection.skill || connection.domain}`,
  });
}

function done(type: LoginDone["item_type"], { identity, ...rest }: SignedIn): LoginDone {
  return { domain: identity.domain, account: identity.identifier, item_type: type, ...rest };
}

async function until(isOver: () => boolean, waitMs: number, signal: AbortSignal): Promise<void> {
  const end = Date.now() + waitMs;
  while (!isOver() && Date.now() < end && !signal.aborted) await new Promise((next) => setTimeout(next, 200));
}
