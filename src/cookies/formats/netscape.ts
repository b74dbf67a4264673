import { DeputyError } from "../../kernel/index.ts";
import type { Cookie } from "../cookie.ts";
import { parseCookie } from "../parse-cookie.ts";
import { type Loss, NEVER, type Skipped, writeAndCompare } from "./loss.ts";

const TITLE = "# Netscape HTTP Cookie File";
/** How curl and others mark HttpOnly in a file format that is older than HttpOnly. */
const HTTP_ONLY = "#HttpOnly_";

/** The cookies.txt of curl, wget and yt-dlp. Times are whole seconds; a session cookie has the time 0. */
export function cookiesToNetscape(cookies: readonly Cookie[]): { text: string; lost: Loss[] } {
  const { written, lost } = writeAndCompare(cookies, {
    refuse: (cookie) => (isTableText(cookie) ? undefined : "control-character"),
    write: toLine,
    read: (line) => cookiesFromNetscape(line, { now: NEVER }).cookies[0],
    promise: toTheSecond,
  });
  return { text: `${[TITLE, "", ...written].join("\n")}\n`, lost };
}

export function cookiesFromNetscape(
  text: string,
  { now = Date.now() }: { now?: number } = {},
): { cookies: Cookie[]; skipped: Skipped[] } {
  const cookies: Cookie[] = [];
  const skipped: Skipped[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const httpOnly = line.startsWith(HTTP_ONLY);
    if (line.trim() === "" || (line.startsWith("#") && !httpOnly)) continue;
    const columns = (httpOnly ? line.slice(HTTP_ONLY.length) : line).split("\t");
    const [domain = "", subdomains, path, secure, seconds = "", name, value = ""] = columns;
    // Editors strip the last tab of a cookie without a value, so six columns are as good as seven.
    const skip = (reason: string) => skipped.push({ where: `line ${index + 1}`, reason });
    if (columns.length < 6 || columns.length > 7 || !/^\d+(\.\d+)?$/.test(seconds)) {
      skip("it is not seven columns with a time in the fifth");
      continue;
    }
    const expires = Number(seconds) === 0 ? null : Math.round(Number(seconds) * 1000);
    const hostOnly = subdomains !== "TRUE";
    const flags = { hostOnly, secure: secure === "TRUE", httpOnly };
    try {
      cookies.push(parseCookie({ name, value, domain, path, expires, ...flags }, { now }));
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error;
      skip(error.message);
    }
  }
  return { cookies, skipped };
}

function toLine(cookie: Cookie): string {
  const { domain, hostOnly, secure, httpOnly } = cookie;
  const columns = [
    hostOnly ? domain : `.${domain}`,
    flag(!hostOnly),
    cookie.path,
    flag(secure),
    String(seconds(cookie)),
    cookie.name,
    cookie.value,
  ];
  return (httpOnly ? HTTP_ONLY : "") + columns.join("\t");
}

/** 0 would turn a cookie that ended in 1970 into one that ends with the session. */
function seconds({ expires }: Cookie): number {
  return expires === null ? 0 : Math.max(1, Math.floor(expires / 1000));
}

/** Less than a second of expiry is not worth a report for every cookie. */
function toTheSecond(cookie: Cookie): Cookie {
  return cookie.expires === null ? cookie : { ...cookie, expires: seconds(cookie) * 1000 };
}

/** A tab or a line end would break the table. */
function isTableText({ name, value, domain, path }: Cookie): boolean {
  return !/[\x00-\x1f\x7f]/.test(name + value + domain + path);
}

function flag(on: boolean): string {
  return on ? "TRUE" : "FALSE";
}
