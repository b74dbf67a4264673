/**
 * The browsers of this user: which there are, their profiles, and the cookies in them, as `{cookies, warnings}`.
 * It never writes to a profile, locks none, runs no browser and never merges two profiles: each is an identity.
 */
export { type Browsers, type BrowserRow, createBrowsers, type SurveyedRow } from "./create-browsers.ts";
export type { BrowserProfile } from "./browser-profile.ts";
export type { CookieReader, ReadResult } from "./cookie-reader.ts";
export type { ReadWarning, WarningCode } from "./warning.ts";
