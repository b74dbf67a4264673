/** The Firefox of this machine, headless, in a profile of its own, steered by WebDriver BiDi. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, readEnvironment } from "../../src/platform/index.ts";

const NAMES = ["firefox-esr", "firefox"];
const program = NAMES.map((name) => findProgram(name, readEnvironment())).find((path) => path !== undefined);

/** For `{ skip }`: why tests with a real Firefox cannot run here. */
export const noFirefox = program === undefined ? "no Firefox is installed" : false;

const PREFERENCES = {
  "network.dns.forceResolve": "127.0.0.1",
  "browser.shell.checkDefaultBrowser": false,
  "browser.sessionstore.interval": 500,
  "browser.sessionstore.interval.idle": 500,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

/** A cookie as `storage.getCookies` gives it. */
export interface BidiCookie {
  name: string;
  value: { type: "string"; value: string } | { type: "base64"; value: string };
  domain: string;
  path: string;
  /** Seconds. */
  expiry?: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: "none" | "lax" | "strict" | "default";
}

export interface RealFirefox extends AsyncDisposable {
  visit(url: string, container?: string): Promise<void>;
  /** The id BiDi knows a new container by. */
  createContainer(): Promise<string>;
  cookies(container?: string): Promise<BidiCookie[]>;
  /** As a person would: what is to be saved is saved. */
  close(): Promise<void>;
}

export async function startFirefox(profile: string): Promise<RealFirefox> {
  mkdirSync(profile, { recursive: true });
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
  );
  writeFileSync(join(profile, "user.js"), lines.join("\n"));
  const args = ["--headless", "--no-remote", "-profile", profile, "--remote-debugging-port", "0"];
  const env = { ...readEnvironment(), HOME: profile, XDG_CACHE_HOME: join(profile, "cache") };
  const child = spawn(program ?? "firefox", args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    const bidi = await openBidi(await addressOf(child));
    await bidi.call("session.new", { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
    const firefox: RealFirefox = {
      async visit(url, container) {
        const created = await bidi.call("browsingContext.create", {
          type: "tab",
          ...(container === undefined ? {} : { userContext: container }),
        });
        await bidi.call("browsingContext.navigate", { context: created["context"], url, wait: "complete" });
      },
      async createContainer() {
        return String((await bidi.call("browser.createUserContext", {}))["userContext"]);
      },
      async cookies(container) {
        const partition = { type: "storageKey", userContext: container ?? "default" };
        return (await bidi.call("storage.getCookies", { partition }))["cookies"] as BidiCookie[];
      },
      async close() {
        await bidi.call("browser.close", {}).catch(() => {});
        await exited;
      },
      async [Symbol.asyncDispose]() {
        child.kill("SIGKILL");
        await exited;
      },
    };
    return firefox;
  } catch (error) {
    child.kill("SIGKILL");
    await exited;
    throw error;
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const address = /ws:\/\/\S+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", () => reject(new Error(`Firefox ended: ${said}`)));
  });
}

async function openBidi(address: string) {
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  type Answer = { id: number; result?: Record<string, unknown>; error?: string; message?: string };
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    const call = waiting.get(answer.id);
    if (answer.error === undefined) call?.resolve(answer.result ?? {});
    else call?.reject(new Error(`${answer.error}: ${answer.message}`));
  });
  socket.addEventListener("close", () => {
    for (const call of waiting.values()) call.reject(new Error("Firefox closed the connection"));
  });
  return {
    call(method: string, params: object): Promise<Record<string, unknown>> {
      const call = Promise.withResolvers<Record<string, unknown>>();
      waiting.set(++lastId, call);
      socket.send(JSON.stringify({ id: lastId, method, params }));
      return call.promise;
    },
  };
}
