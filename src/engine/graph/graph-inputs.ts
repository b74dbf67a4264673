import { z } from "zod";
import type { GraphMethods } from "./graph-methods.ts";

const id = z.string().min(1).max(64);
const word = z.string().min(1).max(200);
const path = z.string().min(1).max(4096);
const limit = z.number().int().min(1).max(500).exactOptional();
const cursor = z.string().max(2048).exactOptional();
const values = z.record(z.string().max(200), z.unknown());
const links = z
  .array(z.strictObject({ label: word, id }))
  .max(200)
  .exactOptional();

const filter = z.strictObject({
  field: word,
  is: z.enum(["eq", "ne", "lt", "le", "gt", "ge", "contains", "missing", "linked"]),
  value: z.union([z.string().max(10_000), z.number(), z.boolean()]).exactOptional(),
});

export const graphSchemas: { [K in keyof GraphMethods]: z.ZodType<GraphMethods[K]["in"]> } = {
  "graph.search": z.strictObject({
    query: z.string().max(2000),
    types: z.array(word).max(20).exactOptional(),
    limit,
  }),
  "graph.list": z.strictObject({
    shape: word,
    where: z.array(filter).max(20).exactOptional(),
    sort: z.string().max(200).exactOptional(),
    limit,
    cursor,
    deleted: z.boolean().exactOptional(),
  }),
  "graph.get": z.strictObject({ id }),
  "graph.create": z.strictObject({ shape: word, values, links }),
  "graph.update": z.strictObject({ id, values, links, unlink: links }),
  "graph.delete": z.strictObject({ id }),
  "graph.restore": z.strictObject({ id }),
  "graph.history": z.strictObject({ id, limit, cursor }),
  "graph.at": z.strictObject({ id, time: z.string().max(64) }),
  "graph.counts": z.strictObject({}),
  "graph.export": z.strictObject({ path }),
  "graph.import": z.strictObject({ path }),
};
