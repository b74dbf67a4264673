import type { CallExecutor, CryptoStep, Executor, Step, StepExecutor } from "../executor.ts";
import type { CryptoForm, PythonForm, RestForm, SqlForm, StepForm } from "../manifest/executor-forms.ts";
import type { CommandForm, GraphqlForm, TypescriptForm } from "../manifest/executor-forms.ts";
import type { OperationForm, ResponseForm } from "../manifest/manifest-form.ts";
import type { Path } from "../manifest/yaml-source.ts";
import { compileResponse } from "./compile-response.ts";
import type { Compiler, Spot } from "./compiler.ts";

/** In scope wherever a run is: never a login. */
const RUN = ["params", "data", "cache", "connection"];

type CallForms = Pick<StepForm, "rest" | "graphql" | "sql" | "command" | "typescript" | "python">;

/** Where a part stands, and the steps before it. */
interface Place {
  readonly path: Path;
  readonly earlier: readonly string[];
}

/** What an operation does; its response may stand beside the executor or in it. */
export async function compileExecutor(
  compiler: Compiler,
  form: OperationForm,
  path: Path,
): Promise<Executor> {
  if (form.steps === undefined) {
    const [executor] = await compileCall(compiler, form, { path, earlier: [] });
    if (executor === undefined) throw new TypeError("An operation has exactly one executor");
    return executor.response === null && form.response !== undefined
      ? {
          ...executor,
          response: await compileResponse(compiler, form.response, [...path, "response"], "any", RUN),
        }
      : executor;
  }
  const steps: Step[] = [];
  for (const [index, step] of form.steps.entries()) {
    const earlier = steps.map(({ id }) => id);
    steps.push(await compileStep(compiler, step, { path: [...path, "steps", index], earlier }));
  }
  const all = [...RUN, ...steps.map(({ id }) => id)];
  const response =
    form.response === undefined
      ? null
      : await compileResponse(compiler, form.response, [...path, "response"], all, all);
  return { kind: "steps", steps, response };
}

async function compileStep(compiler: Compiler, form: StepForm, { path, earlier }: Place): Promise<Step> {
  const roots = [...RUN, ...earlier];
  const forEach = await compiler.optionalExpression(form.for_each, { path: [...path, "for_each"], roots });
  const inside = forEach === null ? earlier : [...earlier, "item"];
  const skipIf = await compiler.optionalExpression(form.skip_if, {
    path: [...path, "skip_if"],
    roots: [...RUN, ...inside],
  });
  const [call] = await compileCall(compiler, form, { path, earlier: inside });
  const executor = call ?? (await compileStepKind(compiler, form, { path, earlier: inside }));
  const seconds = timeoutIn(form);
  return { id: form.id, skipIf, forEach, executor, timeoutMs: seconds === undefined ? null : seconds * 1000 };
}

/** The limit that stands inside an executor. */
export function timeoutIn(form: CallForms): number | undefined {
  const { rest, graphql, sql, command, typescript, python } = form;
  return (rest ?? graphql ?? sql ?? command ?? typescript ?? python)?.timeout;
}

/** The one of the shared kinds that is there, if any. */
async function compileCall(
  compiler: Compiler,
  form: CallForms,
  { path, earlier }: Place,
): Promise<CallExecutor[]> {
  const roots = [...RUN, ...earlier];
  const at = (kind: string): Site => ({
    compiler,
    path: [...path, kind],
    roots,
    withAuth: [...roots, "auth"],
  });
  if (form.rest !== undefined) return [await compileRest(form.rest, at("rest"))];
  if (form.graphql !== undefined) return [await compileGraphql(form.graphql, at("graphql"))];
  if (form.sql !== undefined) return [await compileSql(form.sql, at("sql"))];
  if (form.command !== undefined) return [await compileCommand(form.command, at("command"))];
  if (form.typescript !== undefined) return [await compileTypescript(form.typescript, at("typescript"))];
  if (form.python !== undefined) return [await compilePython(form.python, at("python"))];
  return [];
}

interface Site {
  readonly compiler: Compiler;
  readonly path: Path;
  readonly roots: readonly string[];
  /** For what the engine itself sends, or hands to code as a handle. */
  readonly withAuth: readonly string[];
}

async function responseOf({ compiler, path, roots }: Site, form: ResponseForm | undefined) {
  return form === undefined ? null : compileResponse(compiler, form, [...path, "response"], "any", roots);
}

async function compileRest(form: RestForm, site: Site): Promise<CallExecutor> {
  const { compiler, path, withAuth: roots } = site;
  const spot = (key: string): Spot => ({ path: [...path, key], roots });
  return {
    kind: "rest",
    method: form.method,
    url: await compiler.template(form.url, spot("url")),
    headers: await compiler.optional(form.headers, spot("headers")),
    query: await compiler.optional(form.query, spot("query")),
    body: await compiler.optional(form.body, spot("body")),
    encoding: form.encoding,
    response: await responseOf(site, form.response),
  };
}

async function compileGraphql(form: GraphqlForm, site: Site): Promise<CallExecutor> {
  const { compiler, path, withAuth: roots } = site;
  const spot = (key: string): Spot => ({ path: [...path, key], roots });
  return {
    kind: "graphql",
    endpoint: await compiler.optional(form.endpoint, spot("endpoint")),
    query: form.query,
    operationName: form.operation_name ?? null,
    variables: await compiler.optional(form.variables, spot("variables")),
    headers: await compiler.optional(form.headers, spot("headers")),
    response: await responseOf(site, form.response),
  };
}

/** A caller who could name a file could read any database the owner has. */
const FILE_ROOTS = ["connection"];

async function compileSql(form: SqlForm, site: Site): Promise<CallExecutor> {
  const { compiler, path, roots } = site;
  const attach = new Map<string, Awaited<ReturnType<Compiler["template"]>>>();
  for (const [name, file] of Object.entries(form.attach ?? {})) {
    attach.set(name, await compiler.template(file, { path: [...path, "attach", name], roots: FILE_ROOTS }));
  }
  return {
    kind: "sql",
    query: form.query,
    params: await compiler.optional(form.params, { path: [...path, "params"], roots }),
    database: await compiler.optional(form.database, { path: [...path, "database"], roots: FILE_ROOTS }),
    attach,
    write: form.write,
    response: await responseOf(site, form.response),
  };
}

async function compileCommand(form: CommandForm, site: Site): Promise<CallExecutor> {
  const { compiler, path, roots, withAuth } = site;
  const spot = (key: string): Spot => ({ path: [...path, key], roots });
  return {
    kind: "command",
    binary: form.binary,
    args: await compiler.template(form.args, spot("args")),
    code: form.args[0] === "-c" && typeof form.args[1] === "string" ? form.args[1] : null,
    stdin: await compiler.optional(form.stdin, { path: [...path, "stdin"], roots: withAuth }),
    workingDir: await compiler.optional(form.working_dir, spot("working_dir")),
    read: await compiler.template(form.read, spot("read")),
    write: await compiler.template(form.write, spot("write")),
    statuses: form.statuses,
    response: await responseOf(site, form.response),
  };
}

async function compileTypescript(form: TypescriptForm, site: Site): Promise<CallExecutor> {
  const { compiler, path, withAuth: roots } = site;
  return {
    kind: "typescript",
    module: moduleOf(form.module),
    function: form.function,
    args: await compiler.optional(form.args, { path: [...path, "args"], roots }),
    response: await responseOf(site, form.response),
  };
}

async function compilePython(form: PythonForm, site: Site): Promise<CallExecutor> {
  const { compiler, path, withAuth: roots } = site;
  return {
    kind: "python",
    module: moduleOf(form.module),
    function: form.function,
    args: await compiler.optional(form.args, { path: [...path, "args"], roots }),
    wholeParams: form.params,
    response: await responseOf(site, form.response),
  };
}

function moduleOf(module: string): string {
  return module.replace(/^\.\//, "");
}

async function compileStepKind(
  compiler: Compiler,
  form: StepForm,
  { path, earlier }: Place,
): Promise<StepExecutor> {
  const roots = [...RUN, ...earlier];
  const spot = (...keys: string[]): Spot => ({ path: [...path, ...keys], roots });
  if (form.keychain !== undefined) {
    const { service, account } = form.keychain;
    return {
      kind: "keychain",
      service: await compiler.template(service, spot("keychain", "service")),
      account: await compiler.optional(account, spot("keychain", "account")),
    };
  }
  if (form.crypto !== undefined) return compileCrypto(compiler, form.crypto, spot);
  if (form.plist !== undefined) {
    const { input, extract } = form.plist;
    return {
      kind: "plist",
      input: await compiler.template(input, spot("plist", "input")),
      extract: extract ?? null,
    };
  }
  if (form.csv !== undefined) {
    const { input, delimiter, header } = form.csv;
    return { kind: "csv", input: await compiler.template(input, spot("csv", "input")), delimiter, header };
  }
  throw new TypeError("A step has exactly one kind");
}

async function compileCrypto(
  compiler: Compiler,
  form: CryptoForm,
  spot: (...keys: string[]) => Spot,
): Promise<CryptoStep> {
  if (form.algorithm === "pbkdf2") {
    return {
      kind: "crypto",
      algorithm: form.algorithm,
      password: await compiler.template(form.password, spot("crypto", "password")),
      salt: await compiler.template(form.salt, spot("crypto", "salt")),
      iterations: form.iterations,
      keyLength: form.key_length,
      digest: form.digest,
    };
  }
  return {
    kind: "crypto",
    algorithm: form.algorithm,
    key: await compiler.template(form.key, spot("crypto", "key")),
    iv: await compiler.template(form.iv, spot("crypto", "iv")),
    input: await compiler.template(form.input, spot("crypto", "input")),
  };
}
