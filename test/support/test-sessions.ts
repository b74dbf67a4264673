/** Sessions in a folder of their own, with a real Chromium. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { parseCookie } from "../../src/cookies/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { readEnvironment } from "../../src/platform/index.ts";
import {
  type OpenRequest,
  type SessionLimits,
  type SessionOwner,
  type SessionSeed,
  Sessions,
  type OpenSession,
} from "../../src/sessions/index.ts";
import { evaluateIn } from "../../src/sessions/browser/blank-page.ts";
import { noChromium } from "./real-chromium.ts";

export const HOUR = 3_600_000;
export const LIMITS: SessionLimits = {
  concurrent: 10,
  perAgent: 5,
  sleepMs: HOUR,
  expireMs: 2 * HOUR,
  graceMs: HOUR,
};

export interface TestSessions extends AsyncDisposable {
  readonly folder: string;
  readonly sessions: Sessions;
  limits: SessionLimits;
  /** Added to the time of day. */
  skipped: number;
}

export function startSessions(
  folder = mkdtempSync(join(tmpdir(), "deputy-sessions-")),
  browser: { endpoint?: string } = {},
): TestSessions {
  const env = { ...readEnvironment(), LANG: "de_DE.UTF-8", TZ: "Europe/Berlin" };
  const made: TestSessions = {
    folder,
    limits: LIMITS,
    skipped: 0,
    sessions: new Sessions({
      folder: join(folder, "sessions"),
      browser: () => ({
        env,
        home: folder,
        headed: false,
        ...browser,
        resolve: { "*.test": ["127.0.0.1"] },
        proxy: undefined,
      }),
      limits: () => made.limits,
      clock: { now: () => systemClock.now() + made.skipped },
    }),
    async [Symbol.asyncDispose]() {
      await made.sessions[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  return made;
}

/** Sessions and the site they go to, from a file's first test to its last; neither where there is no Chromium. */
export function sessionsWith<Site extends AsyncDisposable>(
  startSite: () => Promise<Site>,
  prepare: (held: TestSessions) => Promise<void> = async () => {},
): { readonly site: Site; readonly held: TestSessions } {
  const started = {} as { site: Site; held: TestSessions };
  before(async () => {
    if (noChromium !== false) return;
    Object.assign(started, { site: await startSite(), held: startSessions() });
    await prepare(started.held);
  });
  after(async () => {
    await started.held?.[Symbol.asyncDispose]();
    await started.site?.[Symbol.asyncDispose]();
  });
  return started;
}

export function owner(agent: string, more: Partial<SessionOwner> = {}): SessionOwner {
  return { key: `instance of ${agent}`, agent, bound: true, seesAll: false, ...more };
}

/** A login at shop.test, and whatever else is wanted. */
export function seed(more: Partial<SessionSeed> = {}): SessionSeed {
  const expires = Date.now() + 1000 * HOUR;
  const cookie = {
    name: "sid",
    value: "canary-of-a-cloned-login",
    domain: "shop.test",
    httpOnly: true,
    expires,
  };
  return {
    cookies: [parseCookie(cookie)],
    origins: [],
    storageOf: async () => undefined,
    warnings: [],
    ...more,
  };
}

export function request(who: SessionOwner, more: Partial<OpenRequest> = {}): OpenRequest {
  return {
    owner: who,
    source: { kind: "identity", identity: { domain: "shop.test", identifier: "joe" } },
    name: "",
    seed: async () => seed(),
    allow: null,
    expose: false,
    writeBack: null,
    ...more,
  };
}

/** What an expression comes to in a session's first tab. */
export async function inPage(session: OpenSession, expression: string): Promise<unknown> {
  const { browser, contextId, connection } = session;
  const [page] = await browser.targets.pagesOf(contextId);
  if (page === undefined) throw new Error("there is no tab");
  return evaluateIn(
    connection,
    { targetId: page.targetId, session: await browser.targets.page(page.targetId) },
    expression,
  );
}
