import type { Methods } from "../../engine/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { given, list, oneOf, type Options, text } from "./define.ts";
import { parseJson } from "./input.ts";

/** What every command takes that runs something of a skill. */
export const runOptions = [
  ["--params <json>", "the parameters as one JSON object"],
  ["-p, --param <key=value...>", "one parameter; may be given several times"],
  ["--account <account>", "which account, where there are several"],
  ["--provider <provider>", "only the login of this browser: chromium, firefox:Work"],
  ["--connection <name>", "which connection, where the operation lets you choose"],
  ["--detail <detail>", "preview or full (default: preview)"],
  ["--format <format>", "markdown or json (default: markdown)"],
] as const;

/** The request those options make, but for what is to be run. */
export function requestOf(
  options: Options,
  json: boolean,
): Omit<Methods["run"]["in"], "skill" | "operation"> {
  const detail = oneOf(options, "detail", ["preview", "full"]) ?? "preview";
  const format = oneOf(options, "format", ["markdown", "json"]) ?? "markdown";
  return {
    params: paramsOf(options),
    detail,
    format: json ? "json" : format,
    ...given(options, "account", "provider", "connection"),
  };
}

/** The single ones win. */
function paramsOf(options: Options): Record<string, unknown> {
  const whole = text(options, "params");
  const given = whole === undefined ? {} : parseJson(whole);
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new DeputyError("BAD_USAGE", "--params is a JSON object", { hint: `--params '{"query": "cats"}'` });
  const single = list(options, "param").map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new DeputyError("BAD_USAGE", "A parameter is a name, = and a value", { hint: "-p query=cats" });
  });
  return { ...given, ...Object.fromEntries(single) };
}
