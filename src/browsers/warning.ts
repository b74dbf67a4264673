/** What can stand between Deputy and some of a browser's cookies. A code is never renamed. */
export const warningCodes = {
  STORE_MISSING: "the profile has no cookies yet",
  STORE_DENIED: "this user may not read the file",
  STORE_TOO_LARGE: "the file is larger than any cookie store",
  STORE_CHANGING: "the browser wrote without pause",
  STORE_DAMAGED: "the file is damaged or not a cookie store's kind of file",
  STORE_FOREIGN: "the file holds something else than cookies, or in a way Deputy does not know",
  STORE_TRUNCATED: "there are more rows than any browser keeps",
  SESSION_STORE_UNREADABLE: "the cookies that end with the session could not be read",
  MALFORMED: "a row is not a cookie",
  NOT_TEXT: "its value is not text, and a record could not give it back as it is",
  NO_KEY: "the key that opens it is not there",
  KEYRING_UNAVAILABLE: "the system's keyring does not answer",
  KEY_MISSING: "the system's keyring does not know the browser's key",
  KWALLET_UNSUPPORTED: "the key is in KWallet, which Deputy cannot ask",
  DPAPI_UNSUPPORTED: "the key is sealed by Windows, which Deputy cannot ask",
  APP_BOUND: "only the browser itself can open it",
  WRONG_KEY: "it was sealed with another key",
  WRONG_HOST: "it was sealed for another host",
  UNKNOWN_SEAL: "it is sealed in a way Deputy does not know",
  DEVICE_BOUND: "it is probably refused on another machine",
  BROWSER_UNREACHABLE: "no browser answers there",
} as const;

export type WarningCode = keyof typeof warningCodes;

/** A part of a read that did not succeed. Contains no cookie's value. */
export interface ReadWarning {
  readonly code: WarningCode;
  readonly message: string;
  /** How many cookies it is about, where that is known. */
  readonly count?: number;
  /** The first few of them. */
  readonly cookies?: readonly { readonly domain: string; readonly name: string }[];
}

const SHOWN = 10;

/** One warning for all cookies with the same trouble: a lost key must not fill the screen. */
export function cookieWarning(
  code: WarningCode,
  cookies: readonly { domain: string; name: string }[],
  detail = "",
): ReadWarning {
  const count = cookies.length;
  const message = `${count} ${count === 1 ? "cookie" : "cookies"}: ${warningCodes[code]}${detail && ` (${detail})`}`;
  const shown = cookies.slice(0, SHOWN).map(({ domain, name }) => ({ domain, name }));
  return { code, message, count, cookies: shown };
}

export function storeWarning(code: WarningCode, path: string, detail = ""): ReadWarning {
  return { code, message: `Cannot read ${path}: ${warningCodes[code]}${detail && ` (${detail})`}` };
}
