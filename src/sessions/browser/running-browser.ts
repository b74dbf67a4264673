import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CdpConnection, connectCdp, launchBrowser } from "../../cdp/index.ts";
import { DeputyError, newId } from "../../kernel/index.ts";
import type { Environment } from "../../platform/index.ts";
import { stringField } from "./answers.ts";
import { evaluateIn, gotoBlank } from "./blank-page.ts";
import { browserFlags } from "./browser-flags.ts";
import { browserJail } from "./browser-jail.ts";
import { findBrowserProgram } from "./browser-program.ts";
import { headedUserAgent, likenessOf, localeOf } from "./likeness.ts";
import { Targets } from "./targets.ts";

export interface BrowserSettings {
  readonly env: Environment;
  /** Deputy's own folder, which the browser must not see. */
  readonly home: string;
  /** Where sessions' files are: the one folder the browser may write. */
  readonly files: string;
  /** Where a profile goes that cannot be in a jail. */
  readonly scratch: string;
  /** The owner's choice; default: the first that is found. */
  readonly program?: string | undefined;
  /** A browser the owner runs, instead of one of ours. */
  readonly endpoint?: string | undefined;
  readonly headed: boolean;
  readonly resolve: Readonly<Record<string, readonly string[]>>;
  readonly proxy: string | undefined;
}

/** A browser with sessions in it. */
export interface RunningBrowser extends AsyncDisposable {
  readonly connection: CdpConnection;
  readonly targets: Targets;
  /** What the owner should know about it. */
  readonly warnings: readonly string[];
  /** Null for one the owner runs. */
  readonly pid: number | null;
  /** Resolves with the reason when it is gone, whoever ended it. */
  readonly ended: Promise<string>;
}

export async function startBrowser(settings: BrowserSettings): Promise<RunningBrowser> {
  mkdirSync(settings.files, { recursive: true, mode: 0o700 });
  return settings.endpoint === undefined ? launch(settings) : connect(settings.endpoint);
}

/** One that runs looks like what it is already. */
async function connect(endpoint: string): Promise<RunningBrowser> {
  const connection = await connectCdp(endpoint);
  const targets = new Targets(connection);
  const close = async () => {
    targets[Symbol.dispose]();
    await connection.close();
  };
  try {
    await targets.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    connection,
    targets,
    warnings: [],
    pid: null,
    ended: connection.closed,
    [Symbol.asyncDispose]: close,
  };
}

async function launch(settings: BrowserSettings): Promise<RunningBrowser> {
  const { env, headed, scratch } = settings;
  const program = await findBrowserProgram(settings.program, env);
  const jail = await browserJail({ ...settings, program: program.real });
  const userData = jail === undefined ? join(scratch, newId("profile")) : "/tmp/profile";
  if (jail === undefined) mkdirSync(userData, { recursive: true, mode: 0o700 });
  const args = browserFlags({
    ...settings,
    userData,
    userAgent: headedUserAgent(program.major),
    locale: localeOf(env),
  });
  const browser = await launchBrowser({
    program: program.path,
    args,
    env: browserEnvironment(env),
    ...(jail === undefined ? {} : { within: jail }),
  });
  const { connection } = browser;
  const targets = new Targets(connection);
  const close = async () => {
    targets[Symbol.dispose]();
    await browser.close();
    if (jail === undefined)
      rmSync(userData, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    await targets.start();
    if (!headed) await dress(connection, targets);
  } catch (cause) {
    await close();
    throw new DeputyError("UNSUPPORTED", `${program.path} could not be started for sessions`, {
      hint: "Try it in a terminal; deputy doctor says what else may be missing.",
      cause,
    });
  }
  const warnings =
    jail === undefined && process.platform === "linux"
      ? ["bubblewrap is missing or may not work here: the browser can read the owner's files"]
      : [];
  return {
    connection,
    targets,
    warnings,
    pid: browser.pid,
    ended: connection.closed,
    [Symbol.asyncDispose]: close,
  };
}

/** A headless browser tells pages less of itself than one with a window: that is made good. */
async function dress(connection: CdpConnection, targets: Targets): Promise<void> {
  const made = await connection.call("Target.createBrowserContext", { disposeOnDetach: true });
  const contextId = stringField(made, "browserContextId");
  using _ = targets.own(contextId, { prepare: () => [], visited: () => {} });
  // An ordinary page: until there has been one, Chromium makes no hidden ones.
  const page = await targets.create(contextId);
  await gotoBlank(connection, page, "https://deputy.invalid/");
  targets.lookLike(await likenessOf(connection, (expression) => evaluateIn(connection, page, expression)));
  await connection.call("Target.closeTarget", { targetId: page.targetId });
  await connection.call("Target.disposeBrowserContext", { browserContextId: contextId });
}

const PASSED_ON = new Set(
  "DISPLAY HOME LANG PATH TZ USER WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR".split(" "),
);

export function browserEnvironment(env: Environment): Environment {
  const kept = Object.entries(env).filter(([name]) => PASSED_ON.has(name) || name.startsWith("LC_"));
  return { ...Object.fromEntries(kept), DBUS_SESSION_BUS_ADDRESS: "disabled:" };
}
