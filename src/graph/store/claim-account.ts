import type { GraphRequests } from "../graph.ts";
import { Draft } from "./draft.ts";
import { findHolder } from "./find-entity.ts";
import { identityKeys } from "./identity-keys.ts";
import { ownerOf, systemWriter } from "./origins.ts";
import { findRow } from "./rows.ts";
import { type By, type Store, write } from "./store.ts";
import { upsert } from "./upsert.ts";

type Account = GraphRequests["claimAccount"]["in"];

/** The owner says: this account is mine. It is found by its id or its handle, whichever the login was named after. */
export function claimAccount(store: Store, account: Account, at: number): string {
  const claim = () => {
    const by = systemWriter(store, at);
    const target = findRow(store, findAccount(store, account) ?? makeAccount(store, account, by));
    const owner = findRow(store, ownerOf(store, at));
    if (target === undefined || owner === undefined) throw new TypeError("No account was made");
    const draft = new Draft(store, owner, by);
    draft.link(store.words.key("claims"), target.key);
    draft.commit("update");
    return target.id;
  };
  return write(store, claim, "can be had again");
}

function keysAsId({ book }: Store, { domain, identifier }: Account): string[] {
  return identityKeys(book, "account", { issuer: domain, id: identifier }, "").map(({ key }) => key);
}

function findAccount(store: Store, account: Account): number | undefined {
  return keysAsId(store, account)
    .map((key) => findHolder(store, key))
    .find((key) => key !== undefined);
}

/** Its `id` is not known to be the login's name, so it is not said; it is only found by it. */
function makeAccount(store: Store, account: Account, by: By): number {
  const { domain, identifier, display } = account;
  const name = display === undefined ? {} : { display_name: display };
  const value = { issuer: domain, handle: identifier, identifier, ...name };
  const [key = -1] = upsert(store, [{ shape: "account", value, links: [] }], by).keys;
  for (const identity of keysAsId(store, account))
    store.db.run("INSERT OR IGNORE INTO identities (identity, entity) VALUES (?, ?)", identity, key);
  return key;
}
