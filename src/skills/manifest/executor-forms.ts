import { z } from "zod";
import { fields, name, responseForm, seconds, template, text } from "./forms.ts";

const answered = { response: responseForm.optional(), timeout: seconds.optional() };

const rest = z.strictObject({
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).default("GET"),
  url: text.describe("Relative to the connection's base_url, or absolute; text or jq"),
  headers: fields.optional(),
  query: fields.optional(),
  body: template.optional(),
  encoding: z.enum(["json", "form", "text"]).default("json"),
  ...answered,
});

const graphql = z.strictObject({
  endpoint: text.optional().describe("Where it differs from the connection's base_url"),
  query: text.describe("The GraphQL document; never jq"),
  variables: fields.optional(),
  operation_name: text.optional(),
  headers: fields.optional(),
  ...answered,
});

const sql = z.strictObject({
  query: text.describe("SQL with :names; never jq"),
  params: fields.optional(),
  database: text.optional().describe("A file, where it is not the connection's sqlite"),
  attach: z.record(name, text).optional().describe("Further files by the name the query uses"),
  write: z.boolean().default(false).describe("Without it the files are opened read-only"),
  ...answered,
});

const argument = z.union([z.string(), z.number(), z.boolean()]);

const command = z.strictObject({
  binary: text.describe("A program's name or path; the owner grants it"),
  args: z.array(argument).max(256).default([]),
  stdin: template.optional(),
  working_dir: text.optional(),
  read: z.array(text).max(64).default([]).describe("Files and folders it may read besides the skill's own"),
  write: z.array(text).max(64).default([]).describe("Files and folders it may change"),
  statuses: z
    .array(z.number().int().min(0).max(255))
    .min(1)
    .max(16)
    .default([0])
    .describe("Exit statuses that are no failure, such as 1 of grep"),
  ...answered,
});

const module = text.regex(
  /^(\.\/)?[^/\\\0][^\\\0]*$/,
  "a module is a file in the skill's folder, such as ./exa.ts",
);
const functionName = text.regex(/^[A-Za-z_$][\w$]*$/, "a function's name is letters, digits and _");

const typescript = z.strictObject({ module, function: functionName, args: fields.optional(), ...answered });

const python = z.strictObject({
  module,
  function: functionName,
  args: fields.optional().describe("Keyword arguments"),
  params: z.boolean().default(false).describe("The function takes one dict: params, auth, connection"),
  ...answered,
});

/** Made for each place: what stands in two would have a name of its own in the JSON Schema. */
const calls = () => ({
  rest: rest.optional(),
  graphql: graphql.optional(),
  sql: sql.optional(),
  command: command.optional(),
  typescript: typescript.optional(),
  python: python.optional(),
});

const keychain = z.strictObject({ service: text, account: text.optional() });

const crypto = z.discriminatedUnion("algorithm", [
  z.strictObject({
    algorithm: z.literal("pbkdf2"),
    password: text,
    salt: text,
    iterations: z.number().int().min(1).max(10_000_000),
    key_length: z.number().int().min(1).max(1024),
    digest: z.enum(["sha1", "sha256", "sha512"]).default("sha1"),
  }),
  z.strictObject({
    algorithm: z.literal("aes-128-cbc"),
    key: text.describe("Hexadecimal"),
    iv: text.describe("Hexadecimal"),
    input: text.describe("Hexadecimal"),
  }),
]);

const plist = z.strictObject({
  input: text,
  extract: z.record(z.string(), z.union([z.number().int(), text])).optional(),
});

const csv = z.strictObject({
  input: text,
  delimiter: z.string().length(1).default(","),
  header: z.boolean().default(true).describe("The first line names the columns"),
});

/** What a step may be, one of. */
const stepKinds = {
  ...calls(),
  keychain: keychain.optional(),
  crypto: crypto.optional(),
  plist: plist.optional(),
  csv: csv.optional(),
};

export const stepKindNames = Object.keys(stepKinds) as (keyof typeof stepKinds)[];

const stepForm = z.strictObject({
  id: name,
  description: z.string().optional(),
  skip_if: text.optional().describe("jq: the step is left out, its result null, where this is true"),
  for_each: text.optional().describe("jq: a list; the step runs for each as .item, its result a list"),
  ...stepKinds,
});

/** What an operation may be, one of. */
export const executorForms = {
  ...calls(),
  steps: z.array(stepForm).min(1).max(64).optional(),
};

export const executorNames = Object.keys(executorForms) as (keyof typeof executorForms)[];

export type RestForm = z.output<typeof rest>;
export type GraphqlForm = z.output<typeof graphql>;
export type SqlForm = z.output<typeof sql>;
export type CommandForm = z.output<typeof command>;
export type TypescriptForm = z.output<typeof typescript>;
export type PythonForm = z.output<typeof python>;
export type CryptoForm = z.output<typeof crypto>;
export type StepForm = z.output<typeof stepForm>;
