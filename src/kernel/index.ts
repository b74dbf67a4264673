/**
 * The words every other folder speaks: errors with codes, secrets that do not print, time, ids.
 * It knows nothing of the operating system, of cookies or of vaults, and imports no other folder.
 */
export { BoundedMap } from "./bounded-map.ts";
export type { Caller } from "./caller.ts";
export { type Clock, systemClock } from "./clock.ts";
export { DeputyError, type ErrorCode, errorCodes, type Remedy, type WireError } from "./errors.ts";
export { newId } from "./ids.ts";
export type { Identity, RowKey } from "./identity.ts";
export { isRecord } from "./is-record.ts";
export { Secret } from "./secret.ts";
export { shellWord } from "./shell-word.ts";
export { systemCode } from "./system-code.ts";
export { visibleName } from "./visible-name.ts";
