/** The Chromium of this machine, headless, in a profile of its own, steered over a pipe. */
import { launchBrowser, type LaunchedBrowser } from "../../src/cdp/index.ts";
import { type Environment, findProgram, readEnvironment } from "../../src/platform/index.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const program = NAMES.map((name) => findProgram(name, readEnvironment())).find((path) => path !== undefined);

/** For `{ skip }`: why tests with a real Chromium cannot run here. */
export const noChromium = program === undefined ? "no Chromium is installed" : false;

const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--ignore-certificate-errors",
  "--host-resolver-rules=MAP * 127.0.0.1",
];

export interface RealChromium extends LaunchedBrowser {
  /** Opens a page and waits until it and its frames are loaded. */
  visit(url: string): Promise<void>;
  /** What the browser itself says, as `Storage.getCookies` gives it. */
  cookies(): Promise<CdpCookie[]>;
}

export interface CdpCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  session: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  priority: "Low" | "Medium" | "High";
  sourceScheme: "Unset" | "NonSecure" | "Secure";
  sourcePort: number;
  partitionKey?: { topLevelSite: string; hasCrossSiteAncestor: boolean };
}

export async function startChromium(options: {
  userData: string;
  passwordStore?: "basic" | "gnome-libsecret";
  env?: Environment;
  args?: string[];
}): Promise<RealChromium> {
  const env = {
    ...readEnvironment(),
    HOME: options.userData,
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    ...options.env,
  };
  const browser = await launchBrowser({
    program: program ?? "chromium",
    env,
    args: [
      ...FLAGS,
      `--password-store=${options.passwordStore ?? "basic"}`,
      `--user-data-dir=${options.userData}`,
      ...(options.args ?? []),
      "about:blank",
    ],
  });
  const { connection } = browser;
  return {
    ...browser,
    async visit(url) {
      const { targetId } = await connection.call("Target.createTarget", { url: "about:blank" });
      const attached = await connection.call("Target.attachToTarget", { targetId, flatten: true });
      const session = String(attached["sessionId"]);
      await connection.call("Page.enable", {}, session);
      const loaded = Promise.withResolvers<void>();
      using _ = connection.on(session, ({ method }) => {
        if (method === "Page.loadEventFired") loaded.resolve();
      });
      const { errorText } = await connection.call("Page.navigate", { url }, session);
      if (errorText !== undefined) throw new Error(`${url}: ${JSON.stringify(errorText)}`);
      await loaded.promise;
      await connection.call("Target.closeTarget", { targetId });
    },
    async cookies() {
      const { cookies } = await connection.call("Storage.getCookies");
      return cookies as CdpCookie[];
    },
  };
}
