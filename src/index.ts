/**
 * Deputy as a library. The command line and the engine are the product; this is what other programs may build on.
 * Cookies have a door of their own: `deputize/cookies`.
 */
export {
  type Called,
  type CallOptions,
  EngineClient,
  type Methods,
  openEngine,
  version,
} from "./engine/index.ts";
export { DeputyError, type ErrorCode, errorCodes } from "./kernel/index.ts";
