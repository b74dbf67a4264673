import {
  type OperationForm,
  type ParamForm,
  type ReturnsForm,
  type ValueType,
  valueTypes,
} from "../manifest/manifest-form.ts";
import type { Path } from "../manifest/yaml-source.ts";
import { nearest } from "../nearest.ts";
import { coerceValue } from "../params.ts";
import type { Operation, Param, Returns } from "../skill.ts";
import { compileExecutor, timeoutIn } from "./compile-executor.ts";
import type { Compiler } from "./compiler.ts";
import { defaultEffect } from "./default-effect.ts";

const DEFAULT_TIMEOUT_SECONDS = 30;
const LONGEST_SECONDS = 600;

interface Context {
  /** The manifest's, in its order. */
  readonly connections: readonly string[];
  /** Written for the ancestor. */
  readonly lenient: boolean;
  readonly resolverOnly: boolean;
}

export async function compileOperation(
  compiler: Compiler,
  name: string,
  form: OperationForm,
  context: Context,
): Promise<Operation> {
  const path = ["operations", name];
  const executor = await compileExecutor(compiler, form, path);
  const params = new Map(
    Object.entries(form.params).map(([key, param]) => [
      key,
      paramOf(compiler, key, param, [...path, "params", key]),
    ]),
  );
  const test = form.test;
  const effect = form.effect ?? defaultEffect(executor);
  return {
    skill: compiler.skill,
    name,
    description: form.description?.trim() ?? "",
    params,
    returns: returnsOf(form.returns),
    connections: connectionsOf(compiler, form, path, context),
    anonymous: form.auth === "none",
    effect,
    timeoutMs: timeoutOf(form) * 1000,
    executor,
    test: {
      params: { ...test?.fixtures, ...test?.params },
      skip: test?.skip ?? false,
      mode: test?.mode ?? (effect === "read" ? "read" : "write"),
    },
    resolverOnly: context.resolverOnly,
  };
}

function connectionsOf(
  compiler: Compiler,
  form: OperationForm,
  path: Path,
  context: Context,
): readonly string[] {
  const { connections, lenient } = context;
  const { connection } = form;
  if (connection === undefined) {
    if (connections.length <= 1) return connections;
    const message = `has to say which connection it uses: ${connections.join(", ")}, or none`;
    if (lenient) compiler.warn(path, `${path.join(".")} ${message}; it gets none`);
    else
      compiler.error(
        path,
        `${path.join(".")} ${message}`,
        `For example: connection: ${connections[0] ?? "none"}`,
      );
    return [];
  }
  if (connection === "none") return [];
  const chosen = [connection].flat();
  for (const one of chosen) {
    if (connections.includes(one)) continue;
    const near = nearest(one, connections);
    const hint =
      near === undefined ? `There are: ${connections.join(", ") || "none"}.` : `Did you mean ${near}?`;
    compiler.error([...path, "connection"], `there is no connection ${one}`, hint);
  }
  return [...new Set(chosen)];
}

/** Steps take their turns: together they have what each has. */
function timeoutOf(form: OperationForm): number {
  if (form.timeout !== undefined) return form.timeout;
  const parts = (form.steps ?? [form]).map((part) => timeoutIn(part) ?? DEFAULT_TIMEOUT_SECONDS);
  return Math.min(
    LONGEST_SECONDS,
    parts.reduce((sum, seconds) => sum + seconds, 0),
  );
}

function paramOf(compiler: Compiler, name: string, form: ParamForm, path: Path): Param {
  const param: Param = {
    name,
    type: form.type,
    required: form.required && form.default === undefined,
    default: undefined,
    enum: form.enum ?? null,
    description: form.description ?? null,
  };
  if (form.default === undefined || form.default === null) return param;
  const coerced = coerceValue(param, form.default);
  if ("value" in coerced) return { ...param, default: coerced.value };
  compiler.error([...path, "default"], `the default of ${name} cannot be used: ${coerced.wrong}`);
  return param;
}

function returnsOf(form: ReturnsForm | undefined): Returns {
  if (form === undefined) return { kind: "unknown" };
  if (Array.isArray(form)) return { kind: "fields", fields: form[0] ?? {}, many: true };
  if (typeof form === "object") return { kind: "fields", fields: form, many: false };
  if (form === "void" || form === "none") return { kind: "nothing" };
  if (isValueType(form)) return { kind: "value", type: form };
  return { kind: "shape", shape: form.replace(/\[\]$/, ""), many: form.endsWith("[]") };
}

function isValueType(word: string): word is ValueType {
  return (valueTypes as readonly string[]).includes(word);
}
