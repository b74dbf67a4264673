import { z } from "zod";
import { type Cookie, cookiesFromHeader, parseCookie } from "../../cookies/index.ts";
import { DeputyError, Secret } from "../../kernel/index.ts";
import { foldDomain, maskValue } from "../../vault/index.ts";

interface LoginValue {
  readonly value: Secret;
  readonly masked: string;
}

const text = z.string().min(1);

const apiKey = z.looseObject({ key: text });
const password = z.looseObject({ password: text });
const oauth = z
  .looseObject({
    access_token: text.optional(),
    refresh_token: text.optional(),
    token_type: text.optional(),
    expires_in: z.number().optional(),
    expires_at: z.number().optional(),
    token_url: z.url().optional(),
    client_id: text.optional(),
    client_secret: text.optional(),
    scope: z.string().optional(),
  })
  .refine((value) => value.access_token !== undefined || value.refresh_token !== undefined);
const cookies = z.strictObject({ cookies: z.union([z.string(), z.array(z.unknown())]) });
const anything = z.record(z.string(), z.unknown());

/** What each type looks like, for the person who got it wrong. */
const EXAMPLES: Record<string, string> = {
  api_key: '{"key": "…"}',
  password: '{"password": "…"}',
  oauth: '{"access_token": "…", "refresh_token": "…", "expires_in": 3600}',
  cookies: '{"cookies": "name=value; other=value"}',
};

/** What was given as a login, checked for its type and made ready to be stored. No error quotes it. */
export function parseLoginValue(type: string, domain: string, given: unknown, now: number): LoginValue {
  switch (type) {
    case "api_key": {
      const value = check(apiKey, type, given);
      return { value: asSecret(value), masked: maskValue(value.key) };
    }
    case "oauth": {
      const value = check(oauth, type, given);
      return { value: asSecret(value), masked: maskValue(value.access_token ?? value.refresh_token ?? "") };
    }
    case "password":
      return { value: asSecret(check(password, type, given)), masked: "…" };
    case "cookies": {
      const list = parseCookies(check(cookies, type, given).cookies, domain, now);
      return {
        value: asSecret({ cookies: list }),
        masked: list.length === 1 ? "1 cookie" : `${list.length} cookies`,
      };
    }
    default:
      return { value: asSecret(check(anything, type, given)), masked: "…" };
  }
}

function check<T>(schema: z.ZodType<T>, type: string, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const fields = new Set(
    parsed.error.issues.map((issue) => issue.path.join(".")).filter((path) => path !== ""),
  );
  const where =
    fields.size > 0 ? `${[...fields].join(", ")} is missing or of the wrong kind` : "it has another form";
  throw new DeputyError("BAD_INPUT", `Cannot store this as ${type}: ${where}`, {
    hint: `It looks like ${EXAMPLES[type] ?? '{"name": "…"}'}, as JSON on standard input.`,
  });
}

/** A row holds only cookies of its own domain: another site's cookie would be lent under the wrong identity. */
function parseCookies(given: string | unknown[], domain: string, now: number): Cookie[] {
  const list =
    typeof given === "string"
      ? cookiesFromHeader(given, { domain, now })
      : given.map((one) => parseCookie(one, { now }));
  if (list.length === 0) {
    throw new DeputyError("BAD_INPUT", "Cannot store this as cookies: there is none in it", {
      hint: `It looks like ${EXAMPLES["cookies"]}, as JSON on standard input.`,
    });
  }
  const stranger = list.find((cookie) => foldDomain(cookie.domain) !== domain);
  if (stranger !== undefined) {
    throw new DeputyError("BAD_INPUT", `Cannot store a cookie of ${stranger.domain} under ${domain}`, {
      hint: "Store each site's cookies under its own domain.",
    });
  }
  return list;
}

function asSecret(value: unknown): Secret {
  return Secret.fromText(JSON.stringify(value));
}
