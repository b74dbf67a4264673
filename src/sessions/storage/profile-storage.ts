import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type LaunchedBrowser, launchBrowser } from "../../cdp/index.ts";
import { newId } from "../../kernel/index.ts";
import { stringField } from "../browser/answers.ts";
import { evaluateIn, gotoBlank } from "../browser/blank-page.ts";
import { browserFlags } from "../browser/browser-flags.ts";
import { browserJail } from "../browser/browser-jail.ts";
import { findBrowserProgram } from "../browser/browser-program.ts";
import { browserEnvironment, type BrowserSettings } from "../browser/running-browser.ts";
import type { OriginStorage } from "./origin-storage.ts";
import { isEmpty, parseStorage } from "./storage-page.ts";
import { READ_STORAGE } from "./page-codec.ts";

/** Kept for the next origin of a page that is just loading. */
const LINGER_MS = 20_000;
const PARTS = ["Local Storage", "IndexedDB"];

/**
 * What a Chromium profile keeps for an origin besides cookies, read by a browser of our own from a copy: the profile is
 * never opened, and may be in use. A copy taken while it is written may lack what was written last.
 */
export class ProfileStorage implements AsyncDisposable {
  readonly #profile: string;
  readonly #settings: BrowserSettings;
  #reader: Promise<Reader> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Reads take turns, so that none finds its browser closed. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(profile: string, settings: BrowserSettings) {
    this.#profile = profile;
    this.#settings = settings;
  }

  /** Undefined where the origin keeps nothing. */
  async read(origin: string): Promise<OriginStorage | undefined> {
    if (!PARTS.some((part) => existsSync(join(this.#profile, part)))) return undefined;
    const reading = this.#turn.then(() => this.#read(origin));
    this.#turn = reading.catch(() => {});
    return reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    await this.#close();
  }

  async #read(origin: string): Promise<OriginStorage | undefined> {
    clearTimeout(this.#timer);
    this.#reader ??= openCopy(this.#profile, this.#settings);
    try {
      const { connection } = (await this.#reader).browser;
      const made = await connection.call("Target.createTarget", { url: "about:blank" });
      const targetId = stringField(made, "targetId");
      const attached = await connection.call("Target.attachToTarget", { targetId, flatten: true });
      const page = { targetId, session: stringField(attached, "sessionId") };
      await gotoBlank(connection, page, `${origin}/`);
      const storage = parseStorage(origin, await evaluateIn(connection, page, READ_STORAGE));
      await connection.call("Target.closeTarget", { targetId });
      return isEmpty(storage) && storage.lost.length === 0 ? undefined : storage;
    } finally {
      this.#timer = setTimeout(() => void this.#close(), LINGER_MS);
      this.#timer.unref();
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    const reader = await this.#reader?.catch(() => undefined);
    this.#reader = undefined;
    await reader?.[Symbol.asyncDispose]();
  }
}

interface Reader extends AsyncDisposable {
  readonly browser: LaunchedBrowser;
}

async function openCopy(profile: string, settings: BrowserSettings): Promise<Reader> {
  const { env, scratch } = settings;
  const userData = join(scratch, newId("copy"));
  const remove = () => rmSync(userData, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    mkdirSync(join(userData, "Default"), { recursive: true, mode: 0o700 });
    for (const part of PARTS) {
      const from = join(profile, part);
      if (existsSync(from)) cpSync(from, join(userData, "Default", part), { recursive: true });
    }
    const program = await findBrowserProgram(settings.program, env);
    const within = await browserJail({ ...settings, headed: false, files: userData, program: program.real });
    const flags = { ...settings, userData, userAgent: "", locale: "en-US", headed: false, resolve: {} };
    // It is asked for nothing, and finds nobody.
    const args = [...browserFlags(flags), "--host-resolver-rules=MAP * ~NOTFOUND"];
    const browser = await launchBrowser({
      program: program.path,
      args,
      env: browserEnvironment(env),
      ...(within === undefined ? {} : { within }),
    });
    return {
      browser,
      async [Symbol.asyncDispose]() {
        await browser.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
