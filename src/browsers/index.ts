/**
 * The browsers of this user: which there are, their profiles, and the cookies in them, as `{cookies, warnings}`.
 * It never writes to a profile, locks none, runs no browser and never merges two profiles: each is an identity.
 */
export {
  type Browsers,
  type BrowserRow,
  type BrowsersOptions,
  createBrowsers,
  type SurveyedRow,
} from "./create-browsers.ts";
export type { BrowserProfile } from "./browser-profile.ts";
export type { BrowserId, Family } from "./catalogue.ts";
export type { CookieQuery, CookieReader, ReadResult, StoreSummary } from "./cookie-reader.ts";
export type { WantedProfile } from "./find-profile.ts";
export type { HostCount } from "./host-counts.ts";
export { type ReadWarning, type WarningCode, warningCodes } from "./warning.ts";
