import type { ChangeAction } from "../graph.ts";
import { type Diff, isEmpty, type PastLink, recordChange } from "./changes.ts";
import { indexText, removeText, textOf } from "./entity-text.ts";
import { identityKeys, isBareId } from "./identity-keys.ts";
import {
  type EntityRow,
  putLink,
  putValue,
  readValues,
  recordOf,
  removeLink,
  removeValue,
  skillOf,
  type StoredLink,
  type StoredValue,
} from "./rows.ts";
import { joinShapes, lineageOf, putTags } from "./shape-tags.ts";
import type { By, Store } from "./store.ts";
import { decode, encode, isSameStored } from "./stored-value.ts";

/** One entity while it is being written: what it becomes, and what it takes to go back. */
export class Draft {
  readonly key: number;
  readonly values: Map<number, StoredValue>;
  readonly #store: Store;
  readonly #by: By;
  readonly #diff: Diff = {};
  #shape: string;
  #extra: string | null;
  #deleted: number | null;

  constructor(store: Store, row: EntityRow, by: By, values = readValues(store, row.key)) {
    this.#store = store;
    this.#by = by;
    this.key = row.key;
    this.values = values;
    this.#shape = store.words.word(row.shape);
    this.#extra = row.extra;
    this.#deleted = row.deleted;
  }

  get shape(): string {
    return this.#shape;
  }

  get isChanged(): boolean {
    return !isEmpty(this.#diff);
  }

  set(field: string, value: unknown): void {
    this.setStored(this.#store.words.key(field), {
      value: encode(value),
      origin: this.#by.origin,
      at: this.#by.at,
    });
  }

  setStored(field: number, stored: StoredValue): void {
    const before = this.values.get(field);
    if (before !== undefined && isSameStored(before.value, stored.value)) return;
    this.#note(field, before);
    putValue(this.#store, this.key, field, stored);
    this.values.set(field, stored);
  }

  unset(field: string): void {
    const key = this.#store.words.find(field);
    if (key !== undefined) this.unsetStored(key);
  }

  unsetStored(field: number): void {
    const before = this.values.get(field);
    if (before === undefined) return;
    this.#note(field, before);
    removeValue(this.#store, this.key, field);
    this.values.delete(field);
  }

  link(label: number, target: number): void {
    this.linkStored({ label, target, origin: this.#by.origin, at: this.#by.at });
  }

  linkStored(link: StoredLink): void {
    if (putLink(this.#store, this.key, link)) (this.#diff.a ??= []).push([link.label, link.target]);
  }

  unlink({ label, target, origin, at }: StoredLink): void {
    const past: PastLink = [label, target, origin, at];
    if (removeLink(this.#store, this.key, label, target)) (this.#diff.r ??= []).push(past);
  }

  /** It was seen as this too. */
  join(shape: string): void {
    const { words, book, db } = this.#store;
    const joined = joinShapes(book, { shape: this.#shape, extra: this.#extra }, shape);
    if (joined.shape === this.#shape && joined.extra === this.#extra) return;
    this.#diff.s ??= [words.key(this.#shape), this.#extra];
    this.#shape = joined.shape;
    this.#extra = joined.extra;
    db.run(
      "UPDATE entities SET shape = ?, extra = ? WHERE key = ?",
      words.key(this.#shape),
      this.#extra,
      this.key,
    );
    putTags(this.#store, this.key, lineageOf(book, this.#shape, this.#extra));
  }

  setDeleted(deleted: number | null): void {
    if (deleted === this.#deleted) return;
    if (this.#diff.d === undefined) this.#diff.d = this.#deleted;
    this.#deleted = deleted;
    this.#store.db.run("UPDATE entities SET deleted = ? WHERE key = ?", deleted, this.key);
  }

  /** Null: part of the creation, which needs no change of its own. */
  commit(action: ChangeAction | null): void {
    if (!this.isChanged) return;
    const { f, s, d } = this.#diff;
    if (f !== undefined) this.#moveIdentities(f);
    if (f !== undefined || s !== undefined || d !== undefined) this.#indexText();
    if (action !== null) recordChange(this.#store, this.key, action, this.#by, this.#diff);
  }

  #note(field: number, before: StoredValue | undefined): void {
    const past = before === undefined ? 0 : ([decode(before.value), before.origin, before.at] as const);
    const fields = (this.#diff.f ??= {});
    if (!Object.hasOwn(fields, field)) fields[field] = past;
  }

  /** Found by what it is now, and no longer by what it was. */
  #moveIdentities(changed: NonNullable<Diff["f"]>): void {
    const { book, words, db } = this.#store;
    const fields = new Set(book.identitiesOf(this.#shape).flat());
    if (!Object.keys(changed).some((field) => fields.has(words.word(Number(field))))) return;
    const before = new Map(this.values);
    for (const [field, past] of Object.entries(changed)) {
      if (past === 0) before.delete(Number(field));
      else before.set(Number(field), { value: encode(past[0]), origin: past[1], at: past[2] });
    }
    const now = this.#identitiesOf(this.values);
    for (const key of this.#identitiesOf(before))
      if (!now.includes(key))
        db.run("DELETE FROM identities WHERE identity = ? AND entity = ?", key, this.key);
    for (const key of now)
      db.run("INSERT OR IGNORE INTO identities (identity, entity) VALUES (?, ?)", key, this.key);
  }

  #identitiesOf(values: ReadonlyMap<number, StoredValue>): string[] {
    const { book, words } = this.#store;
    const id = values.get(words.find("id") ?? -1);
    const skill = id === undefined ? null : skillOf(this.#store, id.origin);
    return identityKeys(book, this.#shape, recordOf(this.#store, values), skill ?? "").flatMap((one) => {
      return isBareId(one.fields) && skill === null ? [] : [one.key];
    });
  }

  #indexText(): void {
    if (this.#deleted !== null) removeText(this.#store, this.key);
    else {
      const text = textOf(this.#store.book, this.#shape, recordOf(this.#store, this.values));
      indexText(this.#store, this.key, text, true);
    }
  }
}
