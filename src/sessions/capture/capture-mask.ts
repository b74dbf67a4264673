import { looksDrawn, MASK, secretForms } from "../endpoint/secret-forms.ts";
import { TextFinder } from "../endpoint/text-finder.ts";
import type { Body, Capture, Exchange, Header } from "./exchange.ts";

const WORDS =
  "access[_-]?token|refresh[_-]?token|id[_-]?token|auth[_-]?token|token|jwt|passwd|password|passcode|otp|secret|client[_-]?secret|api[_-]?key|apikey|private[_-]?key|session[_-]?id|sessionid|sid|csrf[\\w-]*|xsrf[\\w-]*|authorization|credential|assertion|code[_-]?verifier|signature|sig";
const FIELD = new RegExp(`("(?:[\\w.-]*[_.-])?(?:${WORDS})"\\s*:\\s*)"((?:[^"\\\\]|\\\\.)+)"`, "gi");
const PARAMETER = new RegExp(`((?:^|[?&#;])(?:[\\w.-]*[_.-])?(?:${WORDS}|code)=)([^&#;\\s"]+)`, "gi");
const NAME = new RegExp(`^(.*[_.-])?(${WORDS}|code)$`, "i");
const JWT = /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;
const SECRET_HEADER =
  /(^|-)(authorization|cookie|token|api-?key|apikey|secret|csrf|xsrf|session|signature|auth|assertion|dpop|jwt)(-|$)/i;

/**
 * A capture without credentials: in the headers, fields and parameters that carry them, and wherever else their values
 * turn up. `values` are such values that are known already.
 */
export function maskCapture(capture: Capture, values: readonly string[]): Capture {
  const finder = new TextFinder();
  const hide = (value: string) => {
    for (const form of secretForms(value)) finder.add(form);
  };
  const learn = (value: string, place = "") => {
    if (looksDrawn(value) || /pass/i.test(place)) hide(value);
  };
  for (const value of values) hide(value);
  // Twice: what the first pass learns at the end of a capture may stand at its beginning.
  const seen = walk(capture);
  return walk(seen);

  function walk({ url, exchanges, navigations, warnings }: Capture): Capture {
    return {
      url: text(url),
      exchanges: exchanges.map(exchange),
      navigations: navigations.map((one) => ({
        ...one,
        url: text(one.url),
        form: one.form?.map(([name, value]): Header => [name, field(name, value)]) ?? null,
      })),
      warnings,
    };
  }

  function exchange(one: Exchange): Exchange {
    const { sent, received } = one;
    return {
      ...one,
      url: text(one.url),
      sent: { headers: sent.headers.map(header), body: body(sent.body) },
      received:
        received === null
          ? null
          : { ...received, headers: received.headers.map(header), body: body(received.body) },
      frames: one.frames.map((frame) => ({ ...frame, body: body(frame.body) })),
    };
  }

  function header([name, value]: Header): Header {
    if (/^cookie$/i.test(name)) return [name, value.split(/; ?/).map(pair).join("; ")];
    if (/^set-cookie$/i.test(name)) return [name, pair(value)];
    if (!SECRET_HEADER.test(name)) return [name, text(value)];
    const [, scheme = "", secret = ""] = /^([A-Za-z]+ )?(.*)$/s.exec(value) ?? [];
    if (secret !== MASK) learn(secret);
    return [name, `${scheme}${MASK}`];
  }

  function pair(cookie: string): string {
    return cookie.replace(/^([^=;]*)=([^;]*)/, (_, name: string, value: string) => {
      learn(value.trim());
      return `${name}=${MASK}`;
    });
  }

  function field(name: string, value: string): string {
    return NAME.test(name) ? MASK : text(value);
  }

  function body<T extends Body | null>(given: T): T {
    if (given === null) return given;
    return { ...given, text: given.base64 ? finder.mask(given.text, MASK) : text(given.text) };
  }

  function text(given: string): string {
    const named = given
      .replace(FIELD, (_, before: string, value: string) => {
        if (value !== MASK) learn(value, before);
        return `${before}"${MASK}"`;
      })
      .replace(PARAMETER, (_, before: string, value: string) => {
        if (value !== MASK) learn(value, before);
        return `${before}${MASK}`;
      })
      .replace(JWT, (value) => {
        learn(value);
        return MASK;
      });
    return finder.mask(named, MASK);
  }
}
