/**
 * Where other programs already look for logins: a closed browser's profile, a running browser, a database of Chrome's
 * form, the session files of other commands. Each reports every cookie as delivered, unchanged, deleted or refused.
 * It decides on no account, reads no vault, and touches nothing but what it was told to deliver or take away.
 */
export { type Adapter, findAdapterProgram, loadAdapters } from "./adapter.ts";
export { deliverAll } from "./deliver-all.ts";
export { createChromiumProfileSurface } from "./chromium-profile.ts";
export { createLiveSurface, type LiveSurfaceOptions } from "./live-browser.ts";
export { quitBrowser, type StartAgain } from "./restart-browser.ts";
export { createSessionFilesSurface, type SessionFilesOptions } from "./session-files.ts";
export { createSidecarSurface, type SidecarOptions } from "./sidecar.ts";
export { getSidecarKey } from "./sidecar-seal.ts";
export {
  type Deletion,
  type Delivery,
  type Refusal,
  type Surface,
  type SurfaceId,
  SURFACES,
} from "./surface.ts";
