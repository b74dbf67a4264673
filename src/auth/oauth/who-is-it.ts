import { z } from "zod";
import { type Http, readText } from "../../http/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { asJson } from "../as-json.ts";
import { bareLease, USER_AGENT } from "./bare-lease.ts";
import type { OAuthClient } from "./client-store.ts";
import { endpointUrl, type OAuthService } from "./service-lookup.ts";
import type { Tokens } from "./token-answer.ts";

export interface WhoIsIt {
  readonly http: Http;
  readonly service: OAuthService;
  readonly client: Pick<OAuthClient, "clientId">;
  readonly tokens: Tokens;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The account's name at the service: from the id_token, the token answer, or by asking. Undefined where nobody says;
 * a service that cannot answer now does not undo a login that has just succeeded.
 */
export async function whoIsIt(parts: WhoIsIt): Promise<string | undefined> {
  const { service, tokens, client } = parts;
  const named = (from: unknown) => nameIn(from, service.identifier);
  return (
    named(claimsOf(tokens, client.clientId)) ??
    named(asJson(tokens.answer.reveal())) ??
    named(await ask(parts))
  );
}

/**
 * Unverified on purpose: it came from the token endpoint itself over TLS (OpenID Connect Core 3.1.3.7, point 6). It
 * must still be meant for us (point 3).
 */
function claimsOf({ idToken }: Tokens, clientId: string): unknown {
  const payload = idToken?.reveal().split(".")[1];
  if (payload === undefined) return undefined;
  const claims = asJson(Buffer.from(payload, "base64url").toString());
  const audience = z.looseObject({ aud: z.union([z.string(), z.array(z.string())]) }).safeParse(claims)
    .data?.aud;
  return [audience].flat().includes(clientId) ? claims : undefined;
}

async function ask({ service, tokens, http, signal }: WhoIsIt): Promise<unknown> {
  const { whoIs } = service;
  if (whoIs === null) return undefined;
  const url = endpointUrl(whoIs.url);
  const { accessToken } = tokens;
  const lease = bareLease(url, {
    credential: {
      apply: (hop) => ({
        ...hop,
        headers: [...hop.headers, ["Authorization", `Bearer ${accessToken.reveal()}`]],
      }),
    },
    secrets: [accessToken],
  });
  const body = "post" in whoIs ? Buffer.from(JSON.stringify(whoIs.post)) : undefined;
  try {
    const response = await http.send(
      lease,
      {
        method: body === undefined ? "GET" : "POST",
        url: url.href,
        headers: [
          ["Accept", "application/json"],
          USER_AGENT,
          ...(body === undefined ? [] : [["Content-Type", "application/json"] as const]),
        ],
        ...(body === undefined ? {} : { body }),
        timeoutMs: 20_000,
        maxBytes: 1024 * 1024,
        redirect: "error",
      },
      signal,
    );
    const text = await readText(response);
    return response.status === 200 ? asJson(text) : undefined;
  } catch (error) {
    if (error instanceof DeputyError && error.code !== "CANCELLED") return undefined;
    throw error;
  }
}

/** The first set of paths that are all there. */
function nameIn(from: unknown, choices: OAuthService["identifier"]): string | undefined {
  for (const paths of choices) {
    const values = paths.map((path) => valueAt(from, path));
    if (values.every((value) => value !== undefined)) return values.join("@");
  }
  return undefined;
}

function valueAt(from: unknown, path: string): string | undefined {
  let value = from;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
