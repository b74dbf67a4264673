import { z } from "zod";
import { DeputyError } from "../../kernel/index.ts";
import type { HostRequest, HostResponse, HostServices } from "./code-job.ts";
import { type JsonObject, ProtocolViolation } from "./frames.ts";

const pairs = z.array(z.tuple([z.string(), z.string()])).max(256);
const record = z.record(z.string(), z.unknown());
const bytes = z.union([
  z.strictObject({ text: z.string() }).transform(({ text }) => Buffer.from(text)),
  z.strictObject({ base64: z.string() }).transform(({ base64 }) => Buffer.from(base64, "base64")),
]);

/** Strict: there is no field to name an identity, a connection or a run with, and none is passed over in silence. */
const forms = {
  http: z.strictObject({
    method: z.string().regex(/^[A-Za-z]{1,16}$/),
    url: z.string(),
    headers: pairs,
    body: bytes.optional(),
    dress: z
      .strictObject({
        waf: z.string().optional(),
        ua: z.string().optional(),
        mode: z.string().optional(),
        accept: z.string().optional(),
        extra: z.record(z.string(), z.string()).optional(),
      })
      .optional(),
    mode: z.enum(["browser", "fetch", "api"]).optional(),
    jar: z.literal("none").optional(),
    session: z.literal(true).optional(),
    skipCookies: z.array(z.string()).optional(),
    http2: z.boolean().optional(),
    timeoutMs: z.number().positive().optional(),
    redirect: z.enum(["follow", "manual", "error"]).optional(),
    cookies: z.string().optional(),
  }),
  sql: z.strictObject({
    query: z.string(),
    db: z.string().optional(),
    params: z.union([z.array(z.unknown()), record]).optional(),
    attach: z.record(z.string(), z.string()).optional(),
    write: z.boolean().optional(),
  }),
  shell: z.strictObject({
    binary: z.string(),
    args: z.array(z.string()),
    cwd: z.string().optional(),
    input: z.string().optional(),
    timeoutMs: z.number().positive().optional(),
  }),
  call: z.strictObject({ operation: z.string(), params: record }),
  get: z.strictObject({ key: z.string().max(1024) }),
  set: z.strictObject({ key: z.string().max(1024), value: z.unknown() }),
  secret: record,
  keychain: z.strictObject({ service: z.string(), account: z.string().optional() }),
};

type Handler = (params: unknown, serve: HostServices, signal: AbortSignal) => Promise<unknown>;

const handlers = new Map<string, Handler>([
  [
    "http",
    async (params, serve, signal) =>
      encodeResponse(await serve.http(read(forms.http, params) as HostRequest, signal)),
  ],
  ["sql", (params, serve, signal) => serve.sql(given(read(forms.sql, params)), signal)],
  ["shell", (params, serve, signal) => serve.shell(given(read(forms.shell, params)), signal)],
  [
    "call",
    (params, serve, signal) => {
      const { operation, params: of } = read(forms.call, params);
      return serve.call(operation, of, signal);
    },
  ],
  ["cache.get", async (params, serve) => serve.cacheGet(read(forms.get, params).key)],
  ["data.get", async (params, serve) => serve.dataGet(read(forms.get, params).key)],
  [
    "cache.set",
    async (params, serve) => {
      const { key, value } = read(forms.set, params);
      return serve.cacheSet(key, value);
    },
  ],
  [
    "data.set",
    async (params, serve) => {
      const { key, value } = read(forms.set, params);
      return serve.dataSet(key, value);
    },
  ],
  ["secrets.store", async (params, serve) => serve.storeSecret(read(forms.secret, params))],
  [
    "keychain",
    async (params, serve, signal) => {
      return encodeBody(await serve.keychain(given(read(forms.keychain, params)), signal));
    },
  ],
]);

export type Answer = { readonly result: unknown } | { readonly error: JsonObject };

/** Answers one request of a run. Never rejects, unless the process asks for something no SDK of ours can ask for. */
export async function answerRequest(
  method: string,
  params: unknown,
  serve: HostServices,
  signal: AbortSignal,
): Promise<Answer> {
  const handler = handlers.get(method);
  if (handler === undefined) throw new ProtocolViolation("a request nobody serves");
  try {
    return { result: (await handler(params, serve, signal)) ?? null };
  } catch (error) {
    if (error instanceof DeputyError) return { error: { ...error.toJSON() } };
    // What went wrong in the engine is not for skill code to read.
    return { error: { code: "INTERNAL", message: `${method} failed inside Deputy` } };
  }
}

function read<T>(form: z.ZodType<T>, params: unknown): T {
  const parsed = form.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new DeputyError("BAD_INPUT", `Cannot use these arguments: ${where}${issue?.message ?? "wrong form"}`);
}

/** Absent, not undefined: zod's optional keys say both. */
function given<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, of]) => of !== undefined)) as never;
}

function encodeResponse({ status, url, headers, body, cookies }: HostResponse): JsonObject {
  return { status, url, headers, body: encodeBody(body), ...(cookies === undefined ? {} : { cookies }) };
}

function encodeBody(body: Uint8Array): JsonObject {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body) };
  } catch {
    return { base64: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("base64") };
  }
}
