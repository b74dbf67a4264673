import type { Command } from "commander";
import type { Methods } from "../../../engine/index.ts";
import { DeputyError, type Remedy } from "../../../kernel/index.ts";
import { define, list, type Options, text } from "../define.ts";
import { parseJson } from "../input.ts";
import { choose, isInteractive } from "../prompt.ts";
import type { Shell } from "../shell.ts";
import { plain } from "../table.ts";

type Request = Methods["run"]["in"];

/** A run may need a login, then a program, then a folder: each is asked for when it is met. */
const MOST_QUESTIONS = 5;

export function addRun(program: Command): void {
  define(program, {
    usage: "run <skill> <operation>",
    summary: "run an operation of a skill",
    example: 'deputy run exa search -p query="type systems"',
    options: [
      ["--params <json>", "the parameters as one JSON object"],
      ["-p, --param <key=value...>", "one parameter; may be given several times"],
      ["--account <account>", "which account, where there are several"],
      ["--provider <provider>", "only the login of this browser: chromium, firefox:Work"],
      ["--connection <name>", "which connection, where the operation lets you choose"],
      ["--detail <detail>", "preview or full (default: preview)"],
      ["--format <format>", "markdown or json (default: markdown)"],
      ["--no-remember", "keep nothing of the result"],
    ],
    async run(shell, [skill = "", operation = ""], options) {
      const { text: shown, meta } = await withGrants(shell, requestOf(skill, operation, options, shell.json));
      process.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`);
      if (shell.json || text(options, "format") === "json") return;
      for (const warning of meta.warnings) process.stderr.write(`deputy: ${plain(warning)}\n`);
      for (const { domain, account, item_type } of meta.stored)
        process.stderr.write(plain(`deputy: stored the ${item_type} of ${account} at ${domain}`) + "\n");
    },
  });
}

/** Asks the owner, at their own terminal, for what no grant covers yet. */
async function withGrants(shell: Shell, request: Request): Promise<Methods["run"]["out"]> {
  for (let questions = 0; ; questions++) {
    try {
      return await shell.call("run", request);
    } catch (error) {
      const remedy = error instanceof DeputyError && error.code === "DENIED" ? error.remedy : undefined;
      if (remedy === undefined || shell.json || !isInteractive() || questions >= MOST_QUESTIONS) throw error;
      if (!(await agrees(remedy, request.skill))) throw error;
      await shell.call("grants.add", remedy.grant as Methods["grants.add"]["in"]);
    }
  }
}

async function agrees({ grant, hosts, changed_code }: Remedy, skill: string): Promise<boolean> {
  const { identity, allow, expose } = grant as { identity?: string; allow?: string[]; expose?: boolean };
  const wants = [
    ...(identity === undefined ? [] : [`use your login at ${identity}`]),
    ...(expose === true ? ["see that login itself"] : []),
    ...(allow ?? []).map((one) => `have ${one}`),
  ];
  const where = hosts.length === 0 ? "" : ` It can send it to ${hosts.join(", ")}.`;
  const changed = changed_code ? " Its code has changed since you last allowed it." : "";
  const answer = await choose(plain(`${skill} wants to ${wants.join(" and ")}.${where}${changed}`), [
    { value: "no", label: "No" },
    { value: "yes", label: "Yes", hint: "until you take it back: deputy grants list" },
  ]);
  return answer === "yes";
}

function requestOf(skill: string, operation: string, options: Options, json: boolean): Request {
  const detail = text(options, "detail") ?? "preview";
  const format = json ? "json" : (text(options, "format") ?? "markdown");
  if (detail !== "preview" && detail !== "full")
    throw new DeputyError("BAD_USAGE", "--detail is preview or full");
  if (format !== "markdown" && format !== "json")
    throw new DeputyError("BAD_USAGE", "--format is markdown or json");
  const chosen = ["account", "provider", "connection"].flatMap((name) => {
    const value = text(options, name);
    return value === undefined ? [] : [[name, value]];
  });
  return { skill, operation, params: paramsOf(options), detail, format, ...Object.fromEntries(chosen) };
}

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
