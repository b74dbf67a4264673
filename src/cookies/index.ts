/**
 * Cookies, lossless and exact: the record, an RFC 6265bis jar that behaves as Chromium does, domain rules and
 * the formats other programs speak. It reads no files, knows no browser and opens no connection.
 */
export { boundReason, classify, type DeviceBoundTest, type Label } from "./classify.ts";
export type {
  Cookie,
  CookieKind,
  PartitionKey,
  Priority,
  SameSite,
  SourceScheme,
  Unlabelled,
} from "./cookie.ts";
export { type CookieChange, type CookieIdentity, cookieKey } from "./cookie-change.ts";
export { parseCookieDate } from "./cookie-date.ts";
export { cookiesFor, type CookiesForOptions } from "./cookies-for.ts";
export { deviceBoundByName } from "./device-bound.ts";
export { cookiesFromCdp, cookiesToCdp } from "./formats/cdp.ts";
export { type CdpOrder, cdpOrders, readableFromCdp, whyNotKept } from "./formats/cdp-orders.ts";
export { cookieHeader, cookiesFromHeader, cookiesToHeader } from "./formats/cookie-header.ts";
export { cookiesFromJson, cookiesToJson } from "./formats/json-records.ts";
export type { Loss, Skipped } from "./formats/loss.ts";
export { cookiesFromNetscape, cookiesToNetscape } from "./formats/netscape.ts";
export { cookiesFromStorageState, cookiesToStorageState } from "./formats/storage-state.ts";
export { hostMatches, parseHostPattern } from "./host-pattern.ts";
export { Jar, type JarAccess, type JarOptions, type SetOutcome } from "./jar.ts";
export { looksLikeLogin } from "./looks-like-login.ts";
export { parseCookie } from "./parse-cookie.ts";
export { recordRefusal } from "./record-refusal.ts";
export { refusalReasons, type RefusalReason } from "./refusal.ts";
export { registrableDomain } from "./registrable-domain.ts";
