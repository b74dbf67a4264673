import type { CdpConnection } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { type AttachedPage } from "./targets.ts";

/** Brings a page of ours to an origin without asking it for anything: the answer is empty, and ours. */
export async function gotoBlank(
  connection: CdpConnection,
  { session }: AttachedPage,
  url: string,
): Promise<void> {
  const call = (method: string, params = {}) => connection.call(method, params, session);
  using _ = connection.on(session, ({ method, params }) => {
    if (method !== "Fetch.requestPaused") return;
    const answer = {
      requestId: params["requestId"],
      responseCode: 200,
      responseHeaders: [{ name: "content-type", value: "text/html" }],
      body: "",
    };
    call("Fetch.fulfillRequest", answer).catch(() => {}); // the page may be closed meanwhile
  });
  await call("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
  const { errorText } = await call("Page.navigate", { url });
  if (errorText !== undefined)
    throw new DeputyError("PROTOCOL", `The browser did not go to ${new URL(url).origin}`);
}

/** What an expression comes to in a page, as JSON. */
export async function evaluateIn(
  connection: CdpConnection,
  { session }: AttachedPage,
  expression: string,
): Promise<unknown> {
  const { result, exceptionDetails } = await connection.call(
    "Runtime.evaluate",
    { expression, returnByValue: true, awaitPromise: true },
    session,
  );
  if (exceptionDetails !== undefined) throw new DeputyError("PROTOCOL", "A script failed in the browser");
  return (result as { value?: unknown } | undefined)?.value;
}
