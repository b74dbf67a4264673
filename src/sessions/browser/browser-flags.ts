import { isIP } from "node:net";
import { FENCE_FLAGS } from "../fence/fence-flags.ts";

export interface FlagOptions {
  readonly userData: string;
  readonly userAgent: string;
  readonly locale: string;
  readonly headed: boolean;
  /** Names to addresses of the owner's choosing. */
  readonly resolve: Readonly<Record<string, readonly string[]>>;
  /** The owner's proxy, for sessions without a fence. */
  readonly proxy: string | undefined;
}

/** How Chromium is started: quiet, small, and like the one a person starts. */
export function browserFlags(options: FlagOptions): string[] {
  const { userData, userAgent, locale, headed, resolve, proxy } = options;
  const rules = Object.entries(resolve).flatMap(([host, [address]]) =>
    address === undefined ? [] : [`MAP ${host} ${isIP(address) === 6 ? `[${address}]` : address}`],
  );
  return [
    `--user-data-dir=${userData}`,
    ...(headed ? [] : ["--headless=new", `--user-agent=${userAgent}`, "--screen-info={1440x900}"]),
    "--window-size=1440,900",
    `--lang=${locale}`,
    `--accept-lang=${locale}`,
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-dev-shm-usage",
    // Every session's tabs are somebody's foreground.
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    ...FENCE_FLAGS,
    // Nothing of it outlives it, so nothing of it needs the keyring.
    "--password-store=basic",
    "--use-mock-keychain",
    // Without it navigator.webdriver is true in a headless browser.
    "--disable-blink-features=AutomationControlled",
    // In headless, each context with a tab would start a second renderer for the address bar's list: 36 MB each.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ...(rules.length === 0 ? [] : [`--host-resolver-rules=${rules.join(",")}`]),
    ...(proxy === undefined ? [] : [`--proxy-server=${proxy}`]),
  ];
}
