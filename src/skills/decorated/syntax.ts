import { z } from "zod";

/** What the jailed reader answers. It is believed no more than a manifest is: the forms check it again. */

const place = { file: z.string(), line: z.number().int(), column: z.number().int() };
const fields = z.record(z.string(), z.json());
const call = z.object({ args: z.array(z.json()), keywords: fields }).nullable();

const connection = z.object({
  name: z.string(),
  keys: fields,
  places: z.record(z.string(), z.object(place)),
  ...place,
});

const param = z.object({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  default: z.json().optional(),
  enum: z.array(z.json()).optional(),
  description: z.string().nullable(),
  ...place,
});

const operation = z.object({
  name: z.string(),
  doc: z.string().nullable(),
  /** By decorator: what it was called with, null where it was not called. */
  declared: z.record(z.string(), call),
  params: z.array(param),
  ...place,
});

const module = z.object({
  file: z.string(),
  doc: z.string().nullable(),
  connections: z.array(connection),
  operations: z.array(operation),
});

const problem = z.object({ severity: z.enum(["error", "warning"]), message: z.string(), ...place });

export const syntaxForm = z.object({ modules: z.array(module), problems: z.array(problem) });

export type Syntax = z.output<typeof syntaxForm>;
export type DeclaredOperation = z.output<typeof operation>;
