import { z } from "zod";

const text = z.string().min(1).max(4096);
const template = z.json();
const fields = z.record(z.string(), template);

const check = z.strictObject({
  /** Absolute, or relative to base_url. */
  url: text,
  expect_status: z.number().int().min(100).max(599).default(200),
  /** jq over the JSON answer: who this is. */
  identifier: text.optional(),
  display: text.optional(),
});

/** Ways a person gets in; a bare word is an operation of the skill. */
const loginWay = z.union([
  text.transform((operation) => ({ kind: "operation" as const, operation })),
  z.strictObject({ sso: text }).transform(({ sso }) => ({ kind: "sso" as const, service: sso })),
  z.strictObject({ email_link: z.literal(true) }).transform(() => ({ kind: "email_link" as const })),
  z.strictObject({ email_code: z.literal(true) }).transform(() => ({ kind: "email_code" as const })),
  z
    .strictObject({ operation: text })
    .transform(({ operation }) => ({ kind: "operation" as const, operation })),
]);

const placed = { header: fields.optional(), query: fields.optional(), body: fields.optional() };

const apiKey = z.strictObject({ type: z.literal("api_key"), ...placed, check: check.optional() });

const cookies = z.strictObject({
  type: z.literal("cookies"),
  domain: text.optional(),
  names: z.array(text).default([]),
  check: check.optional(),
  login: z.union([z.array(loginWay), loginWay.transform((one) => [one])]).default([]),
});

const oauth = z.strictObject({
  type: z.literal("oauth"),
  service: text.optional(),
  scopes: z.array(text).default([]),
  client_id: text.optional(),
  auth_url: z.url().optional(),
  token_url: z.url().optional(),
  device_url: z.url().optional(),
  auth_params: z.record(z.string(), z.string()).default({}),
  ...placed,
  check: check.optional(),
});

const auth = z.union([
  z.literal("none").transform(() => null),
  z.discriminatedUnion("type", [apiKey, cookies, oauth, z.strictObject({ type: z.literal("none") })]),
]);

const form = z.strictObject({
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  domain: text.optional(),
  mode: z.enum(["browser", "fetch", "api"]).optional(),
  auth: auth.optional(),
  label: text.optional(),
  help_url: z.url().optional(),
  description: z.string().optional(),
  optional: z.boolean().default(false),
  vars: z.record(z.string(), z.json()).default({}),
  /** A SQLite file; `~` is the owner's home. */
  sqlite: text.optional(),
  /** Further hosts the connection may contact; `any` is the open web and holds no identity. */
  hosts: z.union([z.literal("any"), z.array(text)]).default([]),
});

/** A connection as a skill writes it. Unknown keys are refused here; who reads a manifest decides how loudly. */
export const connectionForm = form.refine(
  ({ hosts, auth }) => hosts !== "any" || auth === undefined || auth === null || auth.type === "none",
  {
    path: ["hosts"],
    message: "`hosts: any` is for a connection without a login: what it holds could go anywhere",
  },
);

export type ConnectionForm = z.output<typeof connectionForm>;
export type CheckForm = z.output<typeof check>;
export type LoginWay = z.output<typeof loginWay>;
