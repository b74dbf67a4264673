import type { CdpConnection } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { AttachedPage } from "./targets.ts";

/** A page that never stops loading is a page all the same. */
const PATIENCE_MS = 15_000;

/** What a session may be sent to: no file of the machine, no page of the browser's own. */
export function checkUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && (/^https?:$/.test(parsed.protocol) || parsed.href === "about:blank"))
    return parsed.href;
  throw new DeputyError("BAD_INPUT", "Cannot open that: it is not a web address", {
    hint: "Give it whole, such as https://example.com/",
  });
}

/** Goes somewhere and waits until it is loaded, for a while. Says why where the browser could not. */
export async function navigate(
  connection: CdpConnection,
  { session }: AttachedPage,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const call = (method: string, params = {}) => connection.call(method, params, session);
  const loaded = Promise.withResolvers<void>();
  using _ = connection.on(session, ({ method }) => {
    if (method === "Page.loadEventFired" || method === "Inspector.targetCrashed") loaded.resolve();
    // While somebody listens to the page, a dialog waits for an answer.
    if (method === "Page.javascriptDialogOpening")
      call("Page.handleJavaScriptDialog", { accept: false }).catch(() => {});
  });
  using _gone = connection.on(null, ({ method, params }) => {
    if (method === "Target.detachedFromTarget" && params["sessionId"] === session) loaded.resolve();
  });
  const timer = setTimeout(loaded.resolve, PATIENCE_MS);
  if (signal.aborted) loaded.resolve();
  signal.addEventListener("abort", () => loaded.resolve(), { once: true });
  try {
    // Answered first: a page that moves to another process meanwhile would forget it.
    await call("Page.enable");
    const asked = call("Page.navigate", { url });
    // It is answered when the page is there, which may be never.
    const answered = await Promise.race([asked, loaded.promise]);
    asked.catch(() => {});
    const errorText = answered?.["errorText"];
    if (typeof errorText === "string" && errorText !== "" && errorText !== "net::ERR_ABORTED")
      throw new DeputyError(
        "NETWORK_FAILED",
        `The browser could not open ${new URL(url).host}: ${errorText}`,
        { hint: "Check the address. A fenced session reaches only the hosts it was opened with." },
      );
    await loaded.promise;
  } finally {
    clearTimeout(timer);
    call("Page.disable").catch(() => {}); // it may be closed meanwhile
  }
}
