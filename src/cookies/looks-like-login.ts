import type { Unlabelled } from "./cookie.ts";

/** What sites call the cookie that says who somebody is; `at` and `xs` only as words of their own (li_at, at-main). */
const SESSION =
  /sess|sid|auth|token|login|logged|jwt|user|acc(oun)?t|member|identity|ticket|sso|saml|oidc|cred|(^|[-_.])(at|xs)([-_.]|$)/i;
/** What has such a name and says it of nobody, or of every visitor. */
const OTHER = /[cx]srf|consent|captcha|visitor|anon|guest|track|analytic|pref|locale|^_ga|^__?cf/i;

/**
 * Whether somebody who has this cookie is probably logged in. A guess by name and by whether scripts are kept from it, for
 * putting a list in order: it opens no value and decides nothing.
 */
export function looksLikeLogin({
  name,
  httpOnly,
  partitionKey,
}: Pick<Unlabelled, "name" | "httpOnly" | "partitionKey">): boolean {
  return httpOnly && partitionKey === null && SESSION.test(name) && !OTHER.test(name);
}
