import { z } from "zod";
import { DeputyError } from "../../kernel/index.ts";

/** Why a token endpoint gave no token, as far as anything can be done about it. */
export interface Refusal {
  /** The grant is spent; the client is not known; or what RFC 8628 3.5 says to one who polls. */
  readonly kind: "dead" | "client" | "device";
  readonly reason: string;
}

const DEAD = new Set([
  "invalid_grant", // RFC 6749 5.2
  "bad_refresh_token", // GitHub
  "bad_verification_code", // GitHub, Microsoft
  "bad_authorization_code", // Todoist
  "invalid_code", // Slack
  "code_already_used", // Slack
  "invalid_refresh_token", // Slack
  "token_expired", // Slack
  "interaction_required", // OpenID Connect: the person must be asked again
  "consent_required",
  "login_required",
]);

const CLIENT = new Set([
  "invalid_client",
  "unauthorized_client",
  "incorrect_client_credentials", // GitHub
  "bad_client_secret", // Slack
  "invalid_client_id", // Slack
]);

// RFC 8628 3.5, and Microsoft's word for access_denied.
const DEVICE = new Set([
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
  "authorization_declined",
]);

const refusal = z.looseObject({ error: z.string() });

/** Throws what is nobody's fault here: a server that is down, or one that speaks another language. */
export function refusalOf(status: number, answer: unknown, host: string): Refusal {
  const code = refusal.safeParse(answer).data?.error;
  if (code !== undefined) {
    if (DEVICE.has(code)) return { kind: "device", reason: code };
    if (DEAD.has(code)) return { kind: "dead", reason: code };
    if (CLIENT.has(code)) return { kind: "client", reason: code };
  }
  if (status >= 500 || status === 429 || code === "temporarily_unavailable" || code === "server_error") {
    throw new DeputyError("NETWORK_FAILED", `${host} cannot answer now (status ${status})`, {
      hint: "Try again in a while. The login is still there.",
    });
  }
  if (code === undefined && status === 401) return { kind: "client", reason: "status 401" };
  // Figma, Strava and Reddit refuse a spent token without a code of the RFC's.
  if (code === undefined && status === 400) return { kind: "dead", reason: "status 400" };
  // Words of the RFC are told; anything else might be an echo of what was sent.
  const why = code !== undefined && TOLD.has(code) ? code : `status ${status}`;
  throw new DeputyError("PROTOCOL", `${host} gives no token: ${why}`);
}

const TOLD = new Set(["invalid_request", "invalid_scope", "unsupported_grant_type", "redirect_uri_mismatch"]);
