import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../../kernel/index.ts";
import { type HomePaths, writeFileAtomic } from "../../platform/index.ts";

const count = z.number();
const delivery = z.object({
  at: z.string(),
  surface: z.string(),
  target: z.string(),
  delivered: count,
  unchanged: count,
  deleted: count,
  refused: count,
  queued: count,
  error: z.string().nullable(),
});
const contact = z.object({
  name: z.string(),
  role: z.enum(["source", "sink"]),
  at: z.string(),
  /** Null: it went well. */
  error: z.string().nullable(),
  /** Of the other machine, where it told. */
  version: z.string().nullable(),
  /** How far its clock is ahead of ours, in milliseconds; null where it did not tell. */
  ahead: count.nullable(),
});
const schema = z.object({
  deliveries: z.record(z.string(), delivery).default({}),
  /** By the peer's id. */
  contacts: z.record(z.string(), contact).default({}),
});

export type LastDelivery = z.output<typeof delivery>;
export type LastContact = z.output<typeof contact>;

interface Named {
  readonly id: string;
  readonly name: string;
  readonly role: LastContact["role"];
}

/** Results come in bursts, and only the last of each matters. */
const WRITE_MS = 1_000;

/** How each surface and each peer was last served: counts and words, no name of a site and no cookie. */
export class LastResults implements Disposable {
  readonly #path: string;
  readonly #clock: Clock;
  #known: z.output<typeof schema> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ paths, clock }: { paths: HomePaths; clock: Clock }) {
    this.#path = join(paths.logs, "last-results.json");
    this.#clock = clock;
  }

  get deliveries(): LastDelivery[] {
    return Object.values(this.#read().deliveries);
  }

  get contacts(): LastContact[] {
    return Object.values(this.#read().contacts);
  }

  contact({ id }: Named): LastContact | undefined {
    return this.#read().contacts[id];
  }

  noteDelivery(done: Omit<LastDelivery, "at">): void {
    this.#read().deliveries[`${done.surface} ${done.target}`] = { at: this.#now(), ...done };
    this.#writeSoon();
  }

  /** What the other machine did not tell this time it told before. */
  noteContact(peer: Named, told: Partial<LastContact> & Pick<LastContact, "error">): void {
    const before = this.contact(peer) ?? { version: null, ahead: null };
    const { id, name, role } = peer;
    this.#read().contacts[id] = { ...before, ...told, name, role, at: this.#now() };
    this.#writeSoon();
  }

  forget({ id }: Named): void {
    delete this.#read().contacts[id];
    this.#writeSoon();
  }

  [Symbol.dispose](): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#write();
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  #read(): z.output<typeof schema> {
    this.#known ??= this.#load();
    return this.#known;
  }

  #load(): z.output<typeof schema> {
    try {
      return schema.parse(JSON.parse(readFileSync(this.#path, "utf8")));
    } catch {
      return schema.parse({}); // not there, or not ours: it is only what happened last
    }
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => this.#write(), WRITE_MS);
  }

  #write(): void {
    this.#timer = undefined;
    try {
      writeFileAtomic(this.#path, JSON.stringify(this.#known));
    } catch {} // a full disk, or a home that is gone: nothing depends on this file
  }
}
