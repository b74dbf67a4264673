import { DeputyError } from "../../kernel/index.ts";
import type { GraphEntity, GraphRequests, LinkInput } from "../graph.ts";
import type { JsonRecord } from "../shapes/json-record.ts";
import { Draft } from "./draft.ts";
import { createEntity, findHolder } from "./find-entity.ts";
import { identityKeys } from "./identity-keys.ts";
import { writerOf } from "./origins.ts";
import { findRow, readLinks, resolveKey } from "./rows.ts";
import { getLiveRow, getRow, showEntity } from "./show-entity.ts";
import { type By, type Store, write } from "./store.ts";
import { whyNotStorable } from "./stored-value.ts";
import { upsert } from "./upsert.ts";

/** Fields of an entity as it is written by hand. */
interface Written {
  readonly values: JsonRecord;
  readonly links: readonly { readonly label: string; readonly target: number }[];
  readonly warnings: readonly string[];
}

export function create(
  store: Store,
  { shape, values, links = [], source }: GraphRequests["create"]["in"],
  at: number,
): GraphRequests["create"]["out"] {
  if (shape === "change" || store.book.find(shape) === undefined) {
    throw new DeputyError("BAD_INPUT", `There is no shape ${shape.slice(0, 80)} to write`, {
      hint: "See what there is: deputy graph list shape",
    });
  }
  return write(store, () => {
    const by = writerOf(store, source, at);
    const written = readWritten(store, shape, values, links, by);
    const known = identityKeys(store.book, shape, written.values, by.skill)
      .map(({ key }) => findHolder(store, key))
      .find((holder) => holder !== undefined);
    if (known !== undefined) {
      const id = findRow(store, known)?.id ?? "";
      throw new DeputyError("CONFLICT", `There is one already: ${id}`, {
        hint: `Change it instead: deputy graph update ${id}`,
      });
    }
    if (Object.keys(written.values).length === 0)
      throw new DeputyError("BAD_INPUT", "There is nothing to keep", {
        hint: 'Give it a name: {"name": "…"}',
      });
    const row = findRow(store, createEntity(store, shape, by));
    if (row === undefined) throw new TypeError("An entity that was just made is gone");
    const draft = new Draft(store, row, by);
    apply(store, draft, written);
    draft.commit(null);
    return { entity: shown(store, row.key), warnings: written.warnings };
  });
}

export function update(
  store: Store,
  { id, values, links = [], unlink = [], source }: GraphRequests["update"]["in"],
  at: number,
): GraphRequests["update"]["out"] {
  return write(store, () => {
    const by = writerOf(store, source, at);
    const row = getLiveRow(store, id);
    const draft = new Draft(store, row, by);
    const written = readWritten(store, draft.shape, values, links, by);
    for (const [field, value] of Object.entries(values)) if (value === null) draft.unset(field);
    for (const { label, id: target } of unlink) removeLinks(store, draft, label, getRow(store, target).key);
    apply(store, draft, written);
    draft.commit("update");
    return { entity: shown(store, row.key), changed: draft.isChanged, warnings: written.warnings };
  });
}

/** Soft: it is no longer found, and its history stays. */
export function setDeleted(
  store: Store,
  { id, source }: GraphRequests["delete"]["in"],
  at: number,
  deleted: boolean,
): { entity: GraphEntity } {
  return write(store, () => {
    const row = deleted ? getLiveRow(store, id) : getRow(store, id);
    if (deleted && row.key === store.db.get("SELECT value FROM meta WHERE key = 'owner'")?.["value"])
      throw new DeputyError("BAD_INPUT", "The owner cannot be deleted: everything else belongs to them");
    const draft = new Draft(store, row, writerOf(store, source, at));
    draft.setDeleted(deleted ? at : null);
    draft.commit(deleted ? "delete" : "restore");
    return { entity: shown(store, row.key) };
  });
}

/** Checked as a result would be: values in their types, nested records as entities of their own. */
function readWritten(
  store: Store,
  shape: string,
  given: JsonRecord,
  links: readonly LinkInput[],
  by: By,
): Written {
  for (const [field, value] of Object.entries(given)) {
    const why = whyNotStorable(value);
    if (why !== undefined)
      throw new DeputyError("TOO_LARGE", `${field.slice(0, 80)} ${why}`, {
        hint: "Nothing was changed. Leave it out, or write less.",
      });
  }
  // A part of a record need not say what it is called: it is known which one is meant.
  const named = { ...given, id: given["id"] ?? "-" };
  const { data, warnings } = store.book.checkResult(shape, named);
  const [main, ...others] = store.book.entitiesOf(shape, data);
  if (main === undefined)
    throw new DeputyError("BAD_INPUT", "It has to be an object with fields", {
      hint: 'For example: {"name": "…"}',
    });
  const inner = others.map((entity) => ({
    ...entity,
    links: entity.links.map(({ label, to }) => ({ label, to: to - 1 })),
  }));
  const { keys } = upsert(store, inner, by);
  const nested = main.links.flatMap(({ label, to }) => {
    const target = keys[to - 1];
    return target === undefined ? [] : [{ label, target }];
  });
  const known = links.map(({ label, id }) => ({ label, target: getLiveRow(store, id).key }));
  const { id: _, ...rest } = main.value;
  return {
    values: given["id"] == null ? rest : main.value,
    links: [...nested, ...known],
    warnings: warnings.map(({ message }) => message),
  };
}

function apply(store: Store, draft: Draft, { values, links }: Written): void {
  for (const [field, value] of Object.entries(values)) draft.set(field, value);
  for (const { label, target } of links) {
    const single = store.book.relationsOf(draft.shape).get(label)?.many === false;
    if (single) removeLinks(store, draft, label, undefined);
    if (target !== draft.key) draft.link(store.words.key(label), target);
  }
}

function removeLinks(store: Store, draft: Draft, label: string, target: number | undefined): void {
  const key = store.words.find(label);
  for (const link of readLinks(store, draft.key)) {
    const leads = target === undefined || resolveKey(store, link.target) === target;
    if (link.label === key && leads) draft.unlink(link);
  }
}

function shown(store: Store, key: number): GraphEntity {
  const row = findRow(store, key);
  if (row === undefined) throw new TypeError("An entity that was just written is gone");
  return showEntity(store, row);
}
