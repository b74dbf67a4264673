import { DeputyError } from "../../kernel/index.ts";
import type { Cookie } from "../cookie.ts";
import { parseCookie } from "../parse-cookie.ts";

/** Our own records. Nothing is lost. */
export function cookiesToJson(cookies: readonly Cookie[]): string {
  return `${JSON.stringify(cookies, null, 2)}\n`;
}

/** Reads an array of records; only name, value and domain are required of each. */
export function cookiesFromJson(text: string, { now = Date.now() }: { now?: number } = {}): Cookie[] {
  const list = parseJson(text);
  if (!Array.isArray(list)) {
    throw new DeputyError("BAD_INPUT", "Cannot read cookies: the JSON is not an array of records", {
      hint: 'Write [{"name": …, "value": …, "domain": …}]',
    });
  }
  return list.map((record, index) => {
    try {
      return parseCookie(record, { now });
    } catch (error) {
      if (!(error instanceof DeputyError)) throw error;
      throw new DeputyError(error.code, `${error.message} (record ${index + 1})`, { hint: error.hint });
    }
  });
}

/** Without the engine's own message, which quotes the text and so the secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DeputyError("BAD_INPUT", "Cannot read cookies: the text is not JSON", {
      hint: "Check that it is whole, and not another format.",
    });
  }
}
