import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { hostMatches, parseHostPattern } from "../cookies/index.ts";
import { DeputyError, systemCode } from "../kernel/index.ts";
import { type Environment, findProgram } from "../platform/index.ts";

const path = z.string().min(1).max(4096);
const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const pattern = z.string().transform((text, context) => {
  try {
    return parseHostPattern(text);
  } catch {
    context.addIssue("it is not a host");
    return z.NEVER;
  }
});
const hosts = z.array(pattern).min(1);

const write = z.discriminatedUnion("format", [
  /** One line `key = '<Cookie header>'`, patched where it is; `fresh` is the file where there is none. */
  z.strictObject({ format: z.literal("config-toml"), path, key: name, fresh: z.string().default("") }),
  /** `{"cookies": "<Cookie header>"}` */
  z.strictObject({ format: z.literal("cookies-json"), path }),
  /** `{"version": 1, "updated_at", <network>: [{name, value, domain, path, expires}]}` */
  z.strictObject({ format: z.literal("session-json"), path, networks: z.record(name, hosts) }),
  /** The Cookie header on the standard input of a program; `session` is where it keeps it, removed at a logout. */
  z.strictObject({
    format: z.literal("command"),
    argv: z.tuple([z.string()], z.string()),
    session: path.optional(),
  }),
  z.strictObject({ format: z.literal("netscape"), path }),
  z.strictObject({ format: z.literal("storage-state"), path }),
]);

const schema = z.strictObject({
  id: name,
  name: z.string().min(1).max(200),
  /** Absent: always. */
  installed: z.strictObject({ program: z.string().min(1), folders: z.array(path).default([]) }).optional(),
  hosts,
  /** Only for a program known to open what Deputy seals. */
  seal: z.boolean().default(false),
  writes: z.array(write).min(1).max(8),
});

/** What another program wants its logins as: data, not code. */
export type Adapter = z.output<typeof schema>;
export type AdapterWrite = Adapter["writes"][number];

export interface AdapterPlaces {
  readonly env: Environment;
  /** `$SURFACES` */
  readonly surfaces: string;
}

/** The adapters of several folders; one in a later folder replaces one of the same id. A broken one costs only itself. */
export function loadAdapters(folders: readonly string[]): { adapters: Adapter[]; problems: DeputyError[] } {
  const found = new Map<string, Adapter>();
  const problems: DeputyError[] = [];
  for (const file of folders.flatMap(yamlFiles)) {
    try {
      const adapter = parseAdapter(readFileSync(file, "utf8"), file);
      found.set(adapter.id, adapter);
    } catch (error) {
      if (error instanceof DeputyError) problems.push(error);
      else if (systemCode(error) !== undefined) problems.push(unusable(file, "it cannot be read"));
      else throw error;
    }
  }
  return { adapters: [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), problems };
}

export function parseAdapter(text: string, where: string): Adapter {
  let content: unknown;
  try {
    content = parse(text);
  } catch {
    throw unusable(where, "it is not YAML");
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "it"} (${message})`);
  throw unusable(where, `something is wrong with ${wrong.join(", ")}`);
}

function unusable(where: string, why: string): DeputyError {
  return new DeputyError("BAD_CONFIG", `Cannot use the adapter ${where}: ${why}`, {
    hint: "docs/surfaces.md shows what an adapter says.",
  });
}

export function adapterWants(adapter: Adapter, host: string): boolean {
  return adapter.hosts.some((pattern) => hostMatches(pattern, host));
}

/** Where the adapter's program is; null where it needs none, undefined where it is not there. */
export function findAdapterProgram({ installed }: Adapter, places: AdapterPlaces): string | null | undefined {
  if (installed === undefined) return null;
  return findInstalled(installed.program, installed.folders, places);
}

export function findInstalled(
  program: string,
  folders: readonly string[],
  places: AdapterPlaces,
): string | undefined {
  const searched = [places.env["PATH"] ?? "", ...folders.map((folder) => placeOf(folder, places))];
  return findProgram(program, { PATH: searched.join(delimiter) });
}

/** `~/…`, `$SURFACES/…` or an absolute path. */
export function placeOf(written: string, { env, surfaces }: AdapterPlaces): string {
  if (written.startsWith("~/")) return join(env["HOME"] || homedir(), written.slice(2));
  if (written.startsWith("$SURFACES/")) return join(surfaces, written.slice("$SURFACES/".length));
  if (isAbsolute(written)) return written;
  throw new DeputyError("BAD_CONFIG", `Cannot use the path ${written} of an adapter`, {
    hint: "Begin it with ~/, $SURFACES/ or /.",
  });
}

function yamlFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /\.ya?ml$/.test(file))
    .sort()
    .map((file) => join(folder, file));
}
