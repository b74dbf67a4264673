import { launchBrowser } from "../cdp/index.ts";
import type { Environment } from "../platform/index.ts";

const FLAGS = [
  "--headless=new",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--password-store=basic",
];

/** A person signs in with their browser: a real one, in a profile of its own, closed again afterwards. */
export async function signIn(
  program: string,
  userData: string,
  url: string,
  env: Environment,
): Promise<void> {
  // Chromium's own sandbox does not work for root.
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  await using browser = await launchBrowser({
    program,
    args: [...FLAGS, ...root, `--user-data-dir=${userData}`],
    env,
  });
  const { connection } = browser;
  const { targetId } = await connection.call("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await connection.call("Target.attachToTarget", { targetId, flatten: true });
  const session = String(sessionId);
  await connection.call("Page.enable", {}, session);
  const loaded = new Promise<void>((resolve) => {
    connection.on(session, (event) => {
      if (event.method === "Page.loadEventFired") resolve();
    });
  });
  await connection.call("Page.navigate", { url }, session);
  await loaded;
}
