import { connectCdp, getCookies } from "../../cdp/index.ts";
import { stringField } from "../browser/answers.ts";
import { addressOf } from "../drive/perform.ts";
import type { OpenSession } from "../open-session.ts";
import { maskCapture } from "./capture-mask.ts";
import { type CaptureRequest, captureTab } from "./capture-tab.ts";
import type { Capture } from "./exchange.ts";

/** A value of an HttpOnly cookie is a credential even where it looks like a word. */
const SHORTEST = 8;

/** In a tab of its own in a session. */
export async function captureInSession(
  session: OpenSession,
  request: CaptureRequest & { readonly reveal: boolean },
  signal: AbortSignal,
): Promise<Capture> {
  addressOf(request.url);
  using _held = session.hold();
  const { connection, contextId } = session;
  const { id } = await session.open("about:blank", signal);
  try {
    const capture = await captureTab(connection, id, request, signal);
    if (request.reveal) return capture;
    const cookies = await getCookies(connection, { browserContextId: contextId });
    return maskCapture(capture, [...session.hidden().map(({ value }) => value), ...secretsIn(cookies)]);
  } finally {
    await connection.call("Target.closeTarget", { targetId: id }).catch(() => {}); // gone with its browser
  }
}

/** In a new tab of a browser that runs, with the logins it has. */
export async function captureAt(
  endpoint: string,
  request: CaptureRequest & { readonly reveal: boolean },
  signal: AbortSignal,
): Promise<Capture> {
  addressOf(request.url);
  await using connection = await connectCdp(endpoint);
  const targetId = stringField(
    await connection.call("Target.createTarget", { url: "about:blank" }),
    "targetId",
  );
  try {
    const capture = await captureTab(connection, targetId, request, signal);
    if (request.reveal) return capture;
    return maskCapture(capture, secretsIn(await getCookies(connection)));
  } finally {
    await connection.call("Target.closeTarget", { targetId }).catch(() => {});
  }
}

function secretsIn(cookies: readonly unknown[]): string[] {
  return (cookies as readonly { value: string; httpOnly: boolean }[])
    .filter(({ value, httpOnly }) => httpOnly && value.length >= SHORTEST)
    .map(({ value }) => value);
}
