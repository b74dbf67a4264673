import { createJail, readEnvironment } from "../../src/platform/index.ts";
import {
  type CodeJob,
  type CodeOutcome,
  findPython,
  HostPool,
  type HostPoolOptions,
  type HostRequest,
  type HostServices,
  hostLimits,
  stripSkillFiles,
} from "../../src/skills/hosts/index.ts";

const env = readEnvironment();
export const jail = await createJail({ env });
const python = await findPython(env);

/** A reason to skip, or false. */
export const noFullJail = jail.level === "full" ? false : `no jail here: ${jail.reason}`;
export const noPython = noFullJail === false && python === undefined ? "python3 not installed" : noFullJail;

export function hostPool(options: Partial<HostPoolOptions> = {}): HostPool {
  return new HostPool({ jail, node: process.execPath, python, size: 1, ...options });
}

export interface Heard {
  readonly requests: HostRequest[];
  readonly logs: string[];
  readonly progress: unknown[];
  readonly secrets: unknown[];
}

export interface ServedRun extends Heard {
  readonly outcome: CodeOutcome;
  /** What it returned; throws where it did not return. */
  readonly value: any;
  readonly took: number;
}

export type JobChanges = Partial<Omit<CodeJob, "files" | "limits" | "serve" | "context">> & {
  readonly limits?: Partial<CodeJob["limits"]>;
  readonly serve?: Partial<HostServices>;
  readonly context?: Partial<CodeJob["context"]>;
};

/** An engine's services that answer every request with what was asked. */
export function echoServices(): { serve: HostServices; heard: Heard } {
  const heard: Heard = { requests: [], logs: [], progress: [], secrets: [] };
  const kept = new Map<string, unknown>();
  const serve: HostServices = {
    http: async (request) => {
      heard.requests.push(request);
      const { body, ...rest } = request;
      const echo = { ...rest, ...(body === undefined ? {} : { body: Buffer.from(body).toString() }) };
      return {
        status: 200,
        url: new URL(request.url, "https://service.test").href,
        headers: [
          ["Content-Type", "application/json"],
          ["X-Twice", "a"],
          ["X-Twice", "b"],
        ],
        body: Buffer.from(JSON.stringify(echo)),
      };
    },
    sql: async (query) => [{ asked: query.query, ...query }],
    shell: async ({ binary, args, input }) => ({
      status: 0,
      stdout: [binary, ...args].join(" "),
      stderr: input ?? "",
    }),
    call: async (operation, params) => ({ operation, params }),
    cacheGet: async (key) => kept.get(`cache ${key}`) ?? null,
    cacheSet: async (key, value) => void kept.set(`cache ${key}`, value),
    dataGet: async (key) => kept.get(`data ${key}`) ?? null,
    dataSet: async (key, value) => void kept.set(`data ${key}`, value),
    storeSecret: async (secret) => void heard.secrets.push(secret),
    keychain: async () => Buffer.alloc(0),
    log: (level, text) => void heard.logs.push(`${level} ${text}`),
    progress: (step) => void heard.progress.push(step),
  };
  return { serve, heard };
}

/** Runs one function of a skill whose files are given as text. The first file is the module. */
export async function runSkill(
  pool: HostPool,
  files: Readonly<Record<string, string | Uint8Array>>,
  name: string,
  changes: JobChanges = {},
): Promise<ServedRun> {
  const { serve, heard } = echoServices();
  const [module = ""] = Object.keys(files);
  const start = performance.now();
  const outcome = await pool.run({
    language: module.endsWith(".py") ? "python" : "typescript",
    module: `./${module}`,
    function: name,
    args: {},
    paths: [],
    signal: new AbortController().signal,
    ...changes,
    files: stripSkillFiles(
      new Map(Object.entries(files).map(([path, content]) => [path, new Uint8Array(Buffer.from(content))])),
    ),
    context: {
      skill: "test",
      operation: name,
      params: {},
      auth: {},
      connection: null,
      ...changes.context,
    },
    limits: { ...hostLimits, ...changes.limits },
    serve: { ...serve, ...changes.serve },
  });
  return {
    ...heard,
    outcome,
    took: performance.now() - start,
    get value() {
      if (outcome.kind !== "returned") throw new Error(`did not return: ${JSON.stringify(outcome)}`);
      return outcome.value;
    },
  };
}
