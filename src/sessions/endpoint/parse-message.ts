import { isRecord } from "../../kernel/index.ts";
import type { Params } from "./scope.ts";

export interface ClientMessage {
  readonly id: number;
  readonly method: string;
  readonly params: Params;
  readonly sessionId: string | undefined;
}

/** Undefined for what is no call of the protocol. Other fields are not carried on. */
export function parseMessage(text: string): ClientMessage | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(message)) return undefined;
  const { id, method, params = {}, sessionId } = message;
  if (!Number.isSafeInteger(id) || typeof method !== "string" || !isRecord(params)) return undefined;
  // Some clients write an empty one for none.
  const named = sessionId === null || sessionId === "" ? undefined : sessionId;
  if (named !== undefined && typeof named !== "string") return undefined;
  return { id: Number(id), method, params, sessionId: named };
}
