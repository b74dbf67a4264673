/** Why a Set-Cookie, or a finished record, was not taken. The keys are stable; the sentences are for people. */
export const refusalReasons = {
  "no-content": "it has neither a name nor a value",
  "control-character": "it contains a control character",
  "too-large": "its name and value together exceed 4096 bytes",
  "name-ambiguous":
    "it has no name and its value contains =, so a server would read a part of it as the name",
  "scheme-without-cookies": "only http, https, ws and wss have cookies",
  "domain-invalid": "its Domain is not a host name",
  "domain-mismatch": "its Domain does not cover the host that set it",
  "domain-public-suffix": "its Domain is a public suffix, where strangers share cookies",
  "domain-of-address": "a numeric address can only set cookies for itself",
  "prefix-broken": "its name promises what its attributes do not keep",
  "prefix-hidden": "it has no name and its value imitates a name prefix",
  "partitioned-not-secure": "Partitioned needs Secure and a secure origin",
  "partitioned-nowhere": "it asks for a partition where none is used",
  "secure-from-insecure": "Secure cookies cannot be set over a plain connection",
  "httponly-from-script": "scripts cannot set HttpOnly cookies",
  "samesite-none-not-secure": "SameSite=None needs Secure",
  "overwrites-secure": "a plain connection cannot shadow a Secure cookie",
  "overwrites-httponly": "scripts cannot replace HttpOnly cookies",
  "not-a-header": "a header could not carry its name and value unchanged",
  expired: "it has ended",
} as const;

export type RefusalReason = keyof typeof refusalReasons;
