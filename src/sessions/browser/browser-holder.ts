import { type BrowserSettings, type RunningBrowser, startBrowser } from "./running-browser.ts";

interface Parts {
  readonly settings: () => BrowserSettings;
  /** It ended without having been asked to. */
  readonly onLost: (browser: RunningBrowser, reason: string) => void;
}

/** The one browser all sessions are in: started at the first need, and anew after it ended. */
export class BrowserHolder implements AsyncDisposable {
  readonly #parts: Parts;
  #starting: Promise<RunningBrowser> | undefined;
  #current: RunningBrowser | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get(): Promise<RunningBrowser> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** Where it runs; undefined before the first need. */
  get current(): RunningBrowser | undefined {
    return this.#current;
  }

  async stop(): Promise<void> {
    const starting = this.#starting;
    this.#starting = undefined;
    const browser = await starting?.catch(() => undefined);
    if (this.#current === browser) this.#current = undefined;
    await browser?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #start(): Promise<RunningBrowser> {
    try {
      const browser = await startBrowser(this.#parts.settings());
      this.#current = browser;
      void this.#follow(browser);
      return browser;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  async #follow(browser: RunningBrowser): Promise<void> {
    const reason = await browser.ended;
    if (this.#current !== browser) return; // it was asked to
    this.#starting = undefined;
    this.#current = undefined;
    this.#parts.onLost(browser, reason);
    await browser[Symbol.asyncDispose]();
  }
}
