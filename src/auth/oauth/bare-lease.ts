import type { Credential, Lease } from "../../http/index.ts";
import type { Identity, Secret } from "../../kernel/index.ts";

/** For a request to one origin and no other, with no cookie. */
export function bareLease(
  url: URL,
  more: { identity?: Identity | null; credential?: Credential; secrets?: readonly Secret[] } = {},
): Lease {
  return {
    identity: more.identity ?? null,
    mode: "api",
    baseUrl: new URL(url.origin),
    jar: null,
    credential: more.credential ?? null,
    egress: { domain: null, hosts: [] },
    secrets: more.secrets ?? [],
    onJarChange: () => undefined,
  };
}

/** GitHub and Reddit turn nameless programs away. */
export const USER_AGENT = ["User-Agent", "deputy"] as const;
