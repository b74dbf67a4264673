import { z } from "zod";

/** The lines of an exported graph: a heading, who said things, entities, their links, what happened to them. */
export const portableFormat = 1;

const time = z.number().int().nonnegative();
const name = z.string().min(1).max(2048);
const origin = z.number().int().nonnegative();
const id = z.string().regex(/^[0-9a-z]{4,40}$/);
const word = z.string().min(1).max(200);
const pastValue = z.tuple([z.json(), origin, time]);
const pastLink = z.tuple([word, id, origin, time]);

const entityLine = z.object({
  id,
  shape: word,
  extra: z.array(word).max(50).exactOptional(),
  created: time,
  updated: time,
  deleted: time.exactOptional(),
  merged_into: id.exactOptional(),
  changes: z.number().int().positive(),
  values: z.record(word, pastValue),
  identities: z.array(z.string().max(400)).exactOptional(),
});

const diffLine = z.object({
  f: z.record(word, z.union([pastValue, z.literal(0)])).exactOptional(),
  a: z.array(z.tuple([word, id])).exactOptional(),
  r: z.array(pastLink).exactOptional(),
  s: z.tuple([word, z.array(word).nullable()]).exactOptional(),
  d: time.nullable().exactOptional(),
  m: id.exactOptional(),
});

const changeLine = z.object({
  target: id,
  n: z.number().int().positive(),
  at: time,
  action: z.enum(["create", "update", "delete", "restore", "merge", "merged"]),
  origin,
  diff: diffLine.nullable(),
});

export const portableLine = z.union([
  z.strictObject({ entity: entityLine }),
  z.strictObject({ links: z.object({ id, out: z.array(pastLink) }) }),
  z.strictObject({ change: changeLine }),
  z.strictObject({
    origin: z.object({
      key: origin,
      agent: name,
      skill: name.exactOptional(),
      operation: name.exactOptional(),
      identity: z.object({ domain: name, identifier: name }).exactOptional(),
    }),
  }),
  z.strictObject({ "deputy-graph": z.literal(portableFormat), exported: z.string() }),
  // What somebody else wrote: a record of a shape, as a skill would return it.
  z.strictObject({ shape: word, values: z.record(z.string(), z.json()) }),
]);

export type PortableLine = z.infer<typeof portableLine>;
export type PortableEntity = z.infer<typeof entityLine>;
export type PortableDiff = z.infer<typeof diffLine>;
export type PortableChange = z.infer<typeof changeLine>;
