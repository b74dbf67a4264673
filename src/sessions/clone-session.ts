import { type Clock, DeputyError } from "../kernel/index.ts";
import type { BrowserHolder } from "./browser/browser-holder.ts";
import type { BrowserSettings } from "./browser/running-browser.ts";
import type { Fence } from "./fence/fence.ts";
import { startFence } from "./fence/start-fence.ts";
import type { Manifest } from "./manifest.ts";
import { OpenSession } from "./open-session.ts";
import type { SessionSeed } from "./session.ts";
import type { OpenRequest } from "./session-entry.ts";
import { sourceLabel } from "./source-label.ts";
import { unlessAborted } from "./unless-aborted.ts";

interface Parts {
  readonly manifest: Manifest;
  readonly browser: BrowserHolder;
  readonly settings: () => Pick<BrowserSettings, "resolve" | "proxy">;
  readonly clock: Clock;
}

/** What a request asks for, in a context of the browser. Where that fails, nothing is left of it. */
export async function cloneSession(
  { manifest, browser: holder, settings, clock }: Parts,
  id: string,
  request: OpenRequest,
  signal: AbortSignal,
): Promise<OpenSession> {
  const { owner, source, allow, expose, writeBack } = request;
  const folder = manifest.add({
    id,
    agent: owner.agent,
    source: sourceLabel(source),
    created: clock.now(),
  });
  let seeding: Promise<SessionSeed> | undefined;
  let fence: Fence | undefined;
  try {
    seeding = request.seed(signal);
    // The browser starts while the source is read.
    const [seed, browser] = await unlessAborted(Promise.all([seeding, holder.get()]), signal);
    const { resolve, proxy: upstream } = settings();
    if (allow !== null)
      fence = await startFence({ allow, resolve: new Map(Object.entries(resolve)), upstream });
    signal.throwIfAborted();
    const parts = { id, browser, folder, seed, allow, fence, expose, writeBack, clock };
    return await OpenSession.clone(parts, signal);
  } catch (error) {
    // Not waited for: a source that is still being read may take for ever.
    void seeding?.then((seed) => seed.close?.()).catch(() => {});
    await fence?.[Symbol.asyncDispose]();
    manifest.remove(id);
    throw signal.aborted
      ? new DeputyError("CANCELLED", "The session was disposed of while it opened")
      : error;
  }
}
