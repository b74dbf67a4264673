import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CookieProvider } from "../../auth/index.ts";
import type { Browsers } from "../../browsers/index.ts";
import { findChromium, launchBrowser } from "../../cdp/index.ts";
import type { Cookie } from "../../cookies/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { type Environment, hasDisplay } from "../../platform/index.ts";

interface LoginWindow extends AsyncDisposable {
  /** What the window's cookies are, also after it was closed: those it had last. */
  readonly provider: CookieProvider;
  isClosed(): boolean;
}

const PACE_MS = 500;

/** The Chromium a window would be opened with; undefined where there is none, or nobody would see it. */
export function windowProgram(env: Environment): string | undefined {
  return hasDisplay(env) ? findChromium(env) : undefined;
}

/** A window for one login: a profile of its own that is gone afterwards, steered by a pipe nobody else can find. */
export async function openLoginWindow(
  parts: { readonly env: Environment; readonly browsers: Browsers },
  program: string,
  { page, domain }: { readonly page: string; readonly domain: string },
): Promise<LoginWindow> {
  const { env, browsers } = parts;
  const folder = mkdtempSync(join(tmpdir(), "deputy-login-"));
  const args = [
    `--user-data-dir=${folder}`,
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-sync",
    // Nothing of it outlives the login, so nothing of it needs the keyring.
    "--password-store=basic",
    "--use-mock-keychain",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    page,
  ];
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const browser = await launchBrowser({ program, args, env }).catch((error: unknown) => {
    removeFolder();
    throw error;
  });
  async function dispose(): Promise<void> {
    await browser.close();
    removeFolder();
  }
  let closed = false;
  void (async () => {
    await browser.exited;
    closed = true;
  })();
  const reader = browsers.steered(browser.connection);
  let last = await reader.read();
  if (last.warnings.some(({ code }) => code === "BROWSER_UNREACHABLE")) {
    await dispose();
    throw new DeputyError("UNSUPPORTED", "Cannot open a window here: the browser ended at once", {
      hint: "Log in in your own browser: deputy login … --no-window",
    });
  }
  const look = async () => {
    if (closed) return;
    const now = await reader.read();
    // A browser that is closing answers with nothing.
    if (now.warnings.length === 0 || now.cookies.length > 0) last = now;
  };
  const timer = setInterval(() => void look(), PACE_MS);
  return {
    isClosed: () => closed,
    provider: {
      // An account that nobody can name is named after it: the next window is the same place.
      id: `window/${domain}`,
      live: true,
      async stamp() {
        await look();
        return digest(last.cookies);
      },
      async cookies() {
        const own = last.cookies.filter(
          (cookie) => cookie.domain === domain || cookie.domain.endsWith(`.${domain}`),
        );
        return { cookies: own.filter(({ partitionKey }) => partitionKey === null), warnings: [] };
      },
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await dispose();
    },
  };
}

/** Without times: a running browser does not tell them, and what has not changed is not checked again. */
function digest(cookies: readonly Cookie[]): string {
  const facts = cookies.map(({ name, value, domain, path, expires }) => [name, value, domain, path, expires]);
  return createHash("sha256").update(JSON.stringify(facts)).digest("base64");
}
