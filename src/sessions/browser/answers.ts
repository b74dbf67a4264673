import type { CdpResult } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";

/** A field of an answer that the protocol promises. */
export function stringField(answer: CdpResult, name: string): string {
  const value = answer[name];
  if (typeof value === "string") return value;
  throw new DeputyError("PROTOCOL", `The browser answered without ${name}`);
}

/** `Target.TargetInfo`, as far as it is used here. */
export interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
  readonly title: string;
  readonly browserContextId: string;
}

export function targetInfo(value: unknown): TargetInfo {
  const told = (value ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof told[name] === "string" ? told[name] : "");
  return {
    targetId: text("targetId"),
    type: text("type"),
    url: text("url"),
    title: text("title"),
    browserContextId: text("browserContextId"),
  };
}
