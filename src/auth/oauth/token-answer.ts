import { z } from "zod";
import { Secret } from "../../kernel/index.ts";

/** What a token endpoint gave. */
export interface Tokens {
  readonly accessToken: Secret;
  /** Null: the one before, if there was one, stays good (RFC 6749 6). */
  readonly refreshToken: Secret | null;
  readonly tokenType: string;
  /** Null: it did not say. */
  readonly expiresAt: number | null;
  /** Null: those that were asked for (RFC 6749 5.1). */
  readonly scopes: readonly string[] | null;
  readonly idToken: Secret | null;
  /** The whole answer as JSON: some name the account in it. */
  readonly answer: Secret;
}

const text = z.string().min(1);
const seconds = z.coerce.number().positive().finite();

/** Lenient where services are: numbers as text, scopes as a list, fields that are null. */
const given = z.looseObject({
  access_token: text,
  refresh_token: text.nullish().catch(null),
  token_type: text.nullish().catch(null),
  expires_in: seconds.nullish().catch(null),
  scope: z
    .union([z.string(), z.array(z.string()).transform((list) => list.join(" "))])
    .nullish()
    .catch(null),
  id_token: text.nullish().catch(null),
});

/** Undefined when there is no token in it. `part` is looked into where the top has none. */
export function readTokens(answer: unknown, now: number, part: string | null): Tokens | undefined {
  const parsed = given.safeParse(answer);
  if (!parsed.success) {
    const inner =
      part === null ? undefined : z.record(z.string(), z.unknown()).safeParse(answer).data?.[part];
    const within = inner === undefined ? undefined : readTokens(inner, now, null);
    return within && { ...within, answer: Secret.fromText(JSON.stringify(answer)) };
  }
  const { access_token, refresh_token, token_type, expires_in, scope, id_token } = parsed.data;
  return {
    accessToken: Secret.fromText(access_token),
    refreshToken: secretOrNull(refresh_token),
    tokenType: token_type ?? "Bearer",
    expiresAt: typeof expires_in === "number" ? now + expires_in * 1000 : null,
    scopes: typeof scope === "string" ? splitScopes(scope) : null,
    idToken: secretOrNull(id_token),
    answer: Secret.fromText(JSON.stringify(answer)),
  };
}

/** RFC 6749 3.3 says spaces; GitHub and others answer with commas. */
export function splitScopes(scope: string): string[] {
  return scope.split(/[\s,]+/).filter((one) => one !== "");
}

export function secretOrNull(value: string | null | undefined): Secret | null {
  return value === null || value === undefined ? null : Secret.fromText(value);
}
