import { DeputyError } from "../kernel/index.ts";
import type { CdpConnection } from "./connection.ts";

/** The cookies of one context, by default of the browser's first profile, as the browser tells them. */
export async function getCookies(
  connection: CdpConnection,
  scope: { readonly browserContextId?: string } = {},
): Promise<unknown[]> {
  const { cookies } = await connection.call("Storage.getCookies", scope);
  if (Array.isArray(cookies)) return cookies;
  throw new DeputyError("PROTOCOL", "The browser answered without cookies", {
    hint: "Is it Chromium, or a browser made of it?",
  });
}
