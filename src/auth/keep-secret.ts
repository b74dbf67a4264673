import { parseCookie } from "../cookies/index.ts";
import { type Clock, DeputyError, type Identity, type RowKey, Secret } from "../kernel/index.ts";
import { foldDomain, maskValue, rowKey, type Vault } from "../vault/index.ts";
import { createLoginStore } from "./login-store.ts";

/** A credential that a skill's operation obtained. */
export interface NewSecret {
  readonly domain: string;
  readonly identifier: string;
  readonly itemType: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly label: string | null;
  /** The skill. */
  readonly source: string;
  /** When the operation began: what was written since is newer than this. */
  readonly since: number;
}

/** Puts what a skill obtained into the vault, unless somebody wrote a newer one meanwhile. */
export function keepSecret(parts: { vault: Vault; clock: Clock }, given: NewSecret): Identity {
  const { vault, clock } = parts;
  const key = rowKey(foldDomain(given.domain), given.identifier, given.itemType);
  const identity = { domain: key.domain, identifier: key.identifier };
  const row = vault.find(key);
  row?.value[Symbol.dispose]();
  if (row !== undefined && row.meta.updatedAt > given.since) throw newerThere(key);
  if (key.itemType === "cookies") {
    const list = given.value["cookies"];
    const now = clock.now();
    const cookies = (Array.isArray(list) ? list : [])
      .map((one) => parseCookie(one, { now }))
      // From the future it would be the newest for ever.
      .map((one) => ({ ...one, created: Math.min(one.created, now), updated: Math.min(one.updated, now) }));
    const stranger = cookies.find((cookie) => foldDomain(cookie.domain) !== key.domain);
    if (cookies.length === 0 || stranger !== undefined) {
      throw new DeputyError("BAD_INPUT", `Cannot store these cookies under ${key.domain}`, {
        hint: stranger === undefined ? "There is none." : `One of them is ${stranger.domain}'s.`,
      });
    }
    const login = { cookies, gone: [] };
    const store = createLoginStore({ vault, clock });
    store.replace(identity, login, given.source, store.find(identity));
    return identity;
  }
  using value = Secret.fromText(JSON.stringify(given.value));
  const shown = given.value["key"] ?? given.value["access_token"];
  const masked = typeof shown === "string" ? maskValue(shown) : "…";
  const meta = { source: given.source, masked, label: given.label };
  if (vault.put(key, value, meta, row?.version ?? 0).kind !== "stored") throw newerThere(key);
  return identity;
}

function newerThere({ domain, identifier, itemType }: RowKey): DeputyError {
  return new DeputyError("CONFLICT", `There is a newer ${itemType} of ${identifier} at ${domain} already`, {
    hint: "It stays. Run the operation again if it is the wrong one.",
  });
}
