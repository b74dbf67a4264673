/**
 * A client for the DevTools protocol of Chromium: over a pipe to a browser it starts, or over WebSocket to one that
 * runs; flat sessions, calls with time-outs, events. It knows the envelope and, of the methods, how cookies are read and
 * set: what else to ask of a browser, and who may, is for others to say.
 */
export {
  type CdpAnswer,
  type CdpConnection,
  type CdpEvent,
  type CdpResult,
  createCdpConnection,
} from "./connection.ts";
export { connectCdp } from "./connect.ts";
export { findChromium } from "./find-chromium.ts";
export { getCookies } from "./get-cookies.ts";
export { type LaunchedBrowser, launchBrowser } from "./launch-browser.ts";
export { createPipeTransport } from "./pipe-transport.ts";
export { setCookies } from "./set-cookies.ts";
export type { Transport } from "./transport.ts";
