import { z } from "zod";
import { DeputyError } from "../kernel/index.ts";
import { browseSchemas } from "./browse/browse-inputs.ts";
import { captureSchemas } from "./sessions/capture-inputs.ts";
import { capabilitySchemas } from "./skills/capability-inputs.ts";
import { deliverSchemas } from "./delivery/deliver-inputs.ts";
import { graphSchemas } from "./graph/graph-inputs.ts";
import { logSchemas } from "./log/log-inputs.ts";
import { loginSchemas } from "./logins/login-inputs.ts";
import { runSchemas } from "./skills/run-inputs.ts";
import type { Methods } from "./methods.ts";
import { sessionSchemas } from "./sessions/session-inputs.ts";
import { skillSchemas } from "./skills/skill-inputs.ts";
import { skillTestSchemas } from "./skills/skill-test-inputs.ts";
import { syncSchemas } from "./sync/sync-inputs.ts";

const none = z.strictObject({});
const keyKind = z.enum(["keyring", "passphrase", "file"]);
const name = z.string().max(2048); // whether it is a domain or an account is said better further on
const path = z.string().min(1).max(4096);
const passphrase = z.string().max(4096);

/** One schema a method, checked where messages arrive. Inside the engine inputs are trusted. */
const schemas: { [K in keyof Methods]: z.ZodType<Methods[K]["in"]> } = {
  ...logSchemas,
  ...loginSchemas,
  ...browseSchemas,
  ...skillSchemas,
  ...skillTestSchemas,
  ...capabilitySchemas,
  ...runSchemas,
  ...syncSchemas,
  ...graphSchemas,
  ...deliverSchemas,
  ...sessionSchemas,
  ...captureSchemas,
  "engine.status": none,
  "engine.stop": none,
  status: none,
  doctor: none,
  setup: z.strictObject({
    key: keyKind.exactOptional(),
    passphrase: passphrase.exactOptional(),
    key_file: path.exactOptional(),
  }),
  "setup.logins": none,
  browsers: none,
  cookies: z.strictObject({
    url: z.string().max(65_536).exactOptional(),
    domain: name.exactOptional(),
    browser: name.exactOptional(),
    profile: path.exactOptional(),
    account: name.exactOptional(),
    format: z.enum(["header", "json", "netscape", "storage-state"]),
  }),
  curl: z.strictObject({
    url: z.string().max(65_536),
    method: z.string().regex(/^[A-Z]{1,20}$/),
    headers: z.array(z.tuple([z.string().max(256), z.string().max(65_536)])).max(256),
    body: z.base64().exactOptional(),
    account: name.exactOptional(),
    provider: name.exactOptional(),
  }),
  "grants.list": none,
  "grants.add": z.strictObject({
    skill: z.string().min(1).max(128),
    identity: name.exactOptional(),
    every_account: z.boolean().exactOptional(),
    agent: z.string().max(128).exactOptional(),
    operations: z.array(z.string().min(1).max(128)).min(1).max(256).exactOptional(),
    read_only: z.boolean().exactOptional(),
    expires: z.string().max(64).exactOptional(),
    expose: z.boolean().exactOptional(),
    allow: z.array(path).max(64).exactOptional(),
    pin: z.union([z.string().max(128), z.strictObject({ path })]).exactOptional(),
  }),
  "grants.remove": z.strictObject({ id: z.string().max(128) }),
  "vault.list": none,
  "vault.set": z.strictObject({
    domain: name,
    account: name,
    type: name,
    value: z.unknown(),
    label: name.exactOptional(),
  }),
  "vault.remove": z.strictObject({ domain: name, account: name, type: name.exactOptional() }),
  "vault.rename": z.strictObject({ domain: name, account: name, to: name }),
  "vault.rotate": none,
  "vault.rekey": z.strictObject({
    key: keyKind,
    passphrase: passphrase.exactOptional(),
    key_file: path.exactOptional(),
  }),
  "vault.verify": z.strictObject({
    accept: z.boolean().exactOptional(),
    remove_damaged: z.boolean().exactOptional(),
  }),
  "vault.unlock": z.strictObject({ passphrase }),
  "vault.export": z.strictObject({ path, passphrase, overwrite: z.boolean().exactOptional() }),
  "vault.import": z.strictObject({ path, passphrase }),
};

export function isMethod(method: string): method is keyof Methods {
  return Object.hasOwn(schemas, method);
}

/** What these say of an input is its schema's word. Others name keys, which somebody may have sent a secret as. */
const TELLING = new Set(["invalid_type", "invalid_value", "invalid_format", "too_big", "too_small"]);

/** Throws BAD_INPUT naming the fields that are wrong, never what was in them. */
export function parseInput<K extends keyof Methods>(method: K, params: unknown): Methods[K]["in"] {
  const parsed = schemas[method].safeParse(params);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const nameOf = ({ path }: z.core.$ZodIssue) => path.join(".") || "input";
  const fields = issues.map((issue) => `${nameOf(issue)} (${issue.code})`);
  const said = issues.flatMap((issue) =>
    TELLING.has(issue.code) ? [`${nameOf(issue)}: ${issue.message}.`] : [],
  );
  const hint = said.length === 0 ? "The client may be of another version than the engine." : said.join(" ");
  throw new DeputyError("BAD_INPUT", `Cannot call ${method}: ${fields.join(", ")} is not right`, { hint });
}
