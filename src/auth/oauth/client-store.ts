import { z } from "zod";
import { DeputyError, Secret } from "../../kernel/index.ts";
import { maskValue, type Vault } from "../../vault/index.ts";
import { asJson } from "../as-json.ts";
import type { OAuthService } from "./service-lookup.ts";
import { secretOrNull } from "./token-answer.ts";

/** The program as a service knows it: registered by the owner, or shipped with a skill and then without a secret. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: Secret | null;
}

/** The owner's clients, one for each service, in rows of their own. */
export interface ClientStore {
  /** With `clientId`, that client: its secret only if it is the owner's own. */
  find(service: Pick<OAuthService, "domain">, clientId?: string | null): OAuthClient | undefined;
  put(service: Pick<OAuthService, "domain">, client: OAuthClient): void;
}

const stored = z.looseObject({ client_id: z.string().min(1), client_secret: z.string().min(1).nullish() });

export function createClientStore({ vault }: { vault: Pick<Vault, "find" | "put"> }): ClientStore {
  const keyOf = (domain: string) => ({ domain, identifier: "@client", itemType: "oauth_client" });

  function owners(domain: string): OAuthClient | undefined {
    const row = vault.find(keyOf(domain));
    if (row === undefined) return undefined;
    using value = row.value;
    const parsed = stored.safeParse(asJson(value.reveal()));
    if (!parsed.success) {
      throw new DeputyError("VAULT_DAMAGED", `The OAuth client at ${domain} holds something else`, {
        hint: `Remove it and log in again: deputy vault remove ${domain} @client`,
      });
    }
    const { client_id: clientId, client_secret } = parsed.data;
    return { clientId, clientSecret: secretOrNull(client_secret) };
  }

  return {
    find({ domain }, clientId = null) {
      const own = owners(domain);
      if (clientId === null || own?.clientId === clientId) return own;
      own?.clientSecret?.[Symbol.dispose]();
      return { clientId, clientSecret: null };
    },
    put({ domain }, { clientId, clientSecret }) {
      const fields = { client_id: clientId, client_secret: clientSecret?.reveal() };
      using value = Secret.fromText(JSON.stringify(fields));
      vault.put(keyOf(domain), value, { source: "login", masked: maskValue(clientId) });
    },
  };
}
