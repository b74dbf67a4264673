import type { Expressions } from "../../expressions/index.ts";
import type { Http, TransportPool } from "../../http/index.ts";
import { DeputyError, newId, Secret } from "../../kernel/index.ts";
import { maskValue, rowKey, type Vault } from "../../vault/index.ts";
import { accountsOf } from "../accounts-of.ts";
import { askWho, type Who } from "../ask-who.ts";
import type { Connection, KeyAuth } from "../connection.ts";
import { evaluatePlacement } from "../evaluate-placement.ts";
import { keyLease } from "../lend-key.ts";
import { type SignedIn, UNNAMED } from "./signed-in.ts";

interface Parts {
  readonly vault: Vault;
  readonly http: Http;
  readonly pool: Pick<TransportPool, "drop">;
  readonly expressions: Expressions;
}

interface Given {
  /** `key`, and whatever else the connection's templates use. */
  readonly values: Readonly<Record<string, string>>;
  readonly account?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Stores a key a person typed in, after the service has taken it where the connection says how to ask. */
export async function signInWithKey(
  parts: Parts,
  connection: Connection,
  auth: KeyAuth,
  { values, account, signal }: Given,
): Promise<SignedIn> {
  const { vault } = parts;
  const who = await ask(parts, connection, auth, values, signal);
  const known = accountsOf(vault, connection.domain, "api_key");
  const identifier = account ?? who?.identifier ?? (known.length === 1 ? known[0] : undefined) ?? UNNAMED;
  const key = rowKey(connection.domain, identifier, "api_key");
  using value = Secret.fromText(JSON.stringify(values));
  vault.put(key, value, {
    source: "login",
    masked: maskValue(values["key"] ?? ""),
    label: who?.display ?? connection.label,
  });
  return {
    identity: { domain: key.domain, identifier: key.identifier },
    display: who?.display ?? null,
    checked: who !== undefined,
    source: "login",
  };
}

async function ask(
  parts: Parts,
  connection: Connection,
  { check, placement }: KeyAuth,
  values: Given["values"],
  signal: AbortSignal | undefined,
): Promise<Who | undefined> {
  // Evaluated even without a check: a key no header can carry is found now, not at the first call.
  const placed = await evaluatePlacement(parts.expressions, placement, connection, values);
  const identity = { domain: connection.domain, identifier: newId("@check") };
  const lease = keyLease(connection, identity, placed, values);
  if (check === null) return undefined;
  try {
    const who = await askWho(parts, check, lease, signal);
    if (who !== "dead") return who;
  } finally {
    await parts.pool.drop(identity);
  }
  throw new DeputyError("LOGIN_NEEDED", `${connection.domain} does not take this key`, {
    hint: `Nothing was stored. Copy the whole key${connection.helpUrl === null ? "" : ` from ${connection.helpUrl}`} and try again.`,
  });
}
