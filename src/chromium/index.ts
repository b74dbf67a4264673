/**
 * The cookie store of the Chromium family: its schema over the years, how values are sealed, where the keys are,
 * which cookies are bound to the device, who has a profile open. For whoever reads a profile and whoever writes one.
 * It finds no profiles, decides on no cookie and breaks no seal: app-bound values (v20) are named and left alone.
 */
export { type BoundCookie, readBoundCookies } from "./bound-sessions.ts";
export { chromiumStorePath, userDataOf } from "./profile-places.ts";
export { ProfileLock } from "./profile-lock.ts";
export { type BrowserUse, findBrowserUse, findDebugAddress } from "./running-browser.ts";
export { type RowProblem, readCookies, readOutlines, sealPrefixes } from "./read-cookies.ts";
export {
  createSafeStorage,
  type FoundKeys,
  type KeyPlace,
  type SafeStorage,
  type SafeStorageOptions,
} from "./safe-storage.ts";
export { deriveSealingKey } from "./sealing.ts";
export { type Row, type RowFilter, selectRows, versionOf } from "./select-rows.ts";
export { createChromiumStore, type Opened, prefixOf, type SealingKeys } from "./store.ts";
export { fromWebKitTime, toWebKitTime } from "./webkit-time.ts";
export { CHROMIUM_SCHEMA, KNOWN_VERSIONS, type Written, writeCookies } from "./write-cookies.ts";
