/**
 * Cookies, lossless and exact: the record, an RFC 6265bis jar that behaves as Chromium does, domain rules and
 * the formats other programs speak. It reads no files, knows no browser and opens no connection.
 */
export type { Cookie, CookieKind, PartitionKey, Priority, SameSite, SourceScheme } from "./cookie.ts";
