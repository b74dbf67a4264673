import { type AnyMap, defined, mapOf } from "../manifest/any-map.ts";
import type { DeclaredOperation } from "./syntax.ts";

/** An operation as a manifest would say it. */
export function operationOf(operation: DeclaredOperation): AnyMap {
  const { name, doc, declared, params, file } = operation;
  const test = testOf(declared);
  return defined({
    description: doc ?? undefined,
    connection: firstOf(declared["connection"], "name"),
    returns: returnsOf(firstOf(declared["returns"], "shape")),
    timeout: secondsOf(firstOf(declared["timeout"], "seconds")),
    params: Object.fromEntries(params.map((param) => [param.name, paramOf(param)])),
    python: { module: `./${file}`, function: name },
    test,
  });
}

/** What an operation supplies to others. */
export function providedBy({ name, declared }: DeclaredOperation): AnyMap | undefined {
  const call = declared["provides"];
  const tool = firstOf(call, "tool");
  if (call === null || call === undefined || typeof tool !== "string") return undefined;
  const { urls, service, scopes, account_param, description } = call.keywords;
  const auth = { cookie_auth: "cookies", oauth_auth: "oauth", api_key_auth: "api_key" }[tool];
  if (auth !== undefined) return defined({ auth, via: name, service, scopes, account_param, description });
  return defined({ tool, via: name, urls, description });
}

function paramOf(param: DeclaredOperation["params"][number]): AnyMap {
  const { type, required, description } = param;
  return defined({
    type: type === "null" ? "json" : type,
    required,
    default: param.default ?? undefined,
    enum: param.enum,
    description: description ?? undefined,
  });
}

/** `shape.Book` is the shape `book`. */
function returnsOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? undefined;
  return /^[A-Z]/.test(value) ? value.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase() : value;
}

function testOf(declared: DeclaredOperation["declared"]): AnyMap | undefined {
  if ("test.skip" in declared) {
    const { keywords = {}, args = [] } = declared["test.skip"] ?? {};
    return { skip: keywords["reason"] ?? args[0] ?? true };
  }
  if ("test.cases" in declared) {
    const [first] = declared["test.cases"]?.args ?? [];
    return { params: mapOf(mapOf(first)?.["params"]) ?? mapOf(first) ?? {} };
  }
  if (!("test" in declared)) return undefined;
  const { keywords = {}, args = [] } = declared["test"] ?? {};
  const { params, skip, mode, fixtures } = keywords;
  return defined({ params: params ?? mapOf(args[0]), skip, mode, fixtures });
}

function firstOf(call: DeclaredOperation["declared"][string] | undefined, name: string): unknown {
  return call?.args[0] ?? call?.keywords[name] ?? Object.values(call?.keywords ?? {})[0];
}

function secondsOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? Math.min(value, 600) : undefined;
}
