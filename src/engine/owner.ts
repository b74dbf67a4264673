import type { Caller } from "../kernel/index.ts";

/** Whoever types a command: as whom the engine asks where nobody called. */
export const OWNER: Caller = { kind: "owner", agent: "owner", instance: "engine", via: "cli" };
