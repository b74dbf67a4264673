import { resolve } from "node:path";
import type { Command } from "commander";
import type { SkillDetails, SkillProblem, SkillReport, SkillRow } from "../../../engine/index.ts";
import { shellWord } from "../../../kernel/index.ts";
import { define, group } from "../define.ts";
import { plain, table } from "../table.ts";
import { addSkillsTest } from "./skills-test.ts";

export function addSkills(program: Command): void {
  const skills = group(program, "skills", "what agents can do: skills, and tools for writing them");
  addLooking(skills);
  addWriting(skills);
  addSkillsTest(skills);
  addChanging(skills);
  addClearing(skills);
}

function addLooking(skills: Command): void {
  define(skills, {
    usage: "list",
    summary: "what there is, and what is ready",
    example: "deputy skills list",
    async run(shell) {
      const rows = await shell.call("skills.list", {});
      shell.show(rows, rows.length === 0 ? "There are no skills." : listing(rows));
    },
  });
  define(skills, {
    usage: "show <skill>",
    summary: "what a skill can do and what it needs",
    example: "deputy skills show exa",
    async run(shell, [skill = ""]) {
      const details = await shell.call("skills.show", { skill });
      shell.show(details, described(details));
    },
  });
}

function addWriting(skills: Command): void {
  define(skills, {
    usage: "validate [skills...]",
    summary: "look for mistakes in skills, by id or folder (all of them if none is named)",
    example: "deputy skills validate exa",
    async run(shell, args) {
      const names = args.flat();
      const targets = names.map((name) => ({ name, path: resolve(name) }));
      const found = await shell.call("skills.validate", { targets });
      shell.show(found, found.skills.map(reported).join("\n"));
      return found.ok ? 0 : 1;
    },
  });
  define(skills, {
    usage: "new <name>",
    summary: "begin a skill: in Deputy's home, or in a folder you name",
    example: "deputy skills new my-service",
    options: [
      ["--local", "one for this machine, without a service"],
      ["--folder <folder>", "where to make it"],
    ],
    async run(shell, [name = ""], options) {
      const folder = options["folder"];
      const made = await shell.call("skills.new", {
        name,
        local: options["local"] === true,
        ...(typeof folder === "string" ? { folder: resolve(folder) } : {}),
      });
      const next =
        typeof folder === "string"
          ? `deputy skills add --dev ${shellWord(folder)}`
          : `deputy skills validate ${made.id}`;
      shell.show(made, plain(`Made ${made.folder} (${made.files.join(", ")}). Next: ${next}`));
    },
  });
}

function addChanging(skills: Command): void {
  define(skills, {
    usage: "add <path>",
    summary: "use the skill in a folder, or every skill below it",
    example: "deputy skills new mine --folder ./mine && deputy skills add ./mine --dev",
    options: [["--dev", "you are working on it: your own runs are not asked again when it changes"]],
    async run(shell, [path = ""], options) {
      const done = await shell.call("skills.add", { path: resolve(path), dev: options["dev"] === true });
      shell.show(done, done.added.map(addedLine).join("\n"));
    },
  });
  define(skills, {
    usage: "remove <skill>",
    summary: "no longer use a skill you added; its files stay",
    example: "deputy skills list && deputy skills remove SKILL",
    async run(shell, [skill = ""]) {
      const done = await shell.call("skills.remove", { skill });
      const now =
        done.now === null
          ? ""
          : ` The ${done.now === "home" ? "one in Deputy's home" : "bundled one"} is used now.`;
      shell.show(done, plain(`Removed ${done.removed}. Its files are still in ${done.folder}.${now}`));
    },
  });
}

function addClearing(skills: Command): void {
  define(skills, {
    usage: "clear <skill>",
    summary: "forget what a skill has kept on this machine",
    example: "deputy skills clear exa --cache",
    options: [
      ["--cache", "what it can find again"],
      ["--data", "what it cannot: its settings and marks"],
    ],
    async run(shell, [skill = ""], options) {
      const done = await shell.call("skills.clear", {
        skill,
        cache: options["cache"] === true,
        data: options["data"] === true,
      });
      const count = done.removed === 1 ? "1 value" : `${done.removed} values`;
      shell.show(done, done.removed === 0 ? "There was nothing to forget." : `Forgot ${count}.`);
    },
  });
}

const STATUS = { ready: "ready", "needs-login": "needs login", broken: "broken" } as const;

function listing(rows: readonly SkillRow[]): string {
  const order = ["ready", "needs-login", "broken"];
  const sorted = rows.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return table(
    ["SKILL", "STATUS", "OPERATIONS", "WHAT IT IS"],
    sorted.map((row) => [row.id, STATUS[row.status], operations(row), note(row)]),
  );
}

function operations({ status, operations }: SkillRow): string {
  if (status === "broken") return "";
  return operations.length === 0 ? "instructions" : String(operations.length);
}

/** Why it is not ready says more than what it is. */
function note(row: SkillRow): string {
  const origin =
    row.origin === "bundled" ? "" : ` (${row.origin === "home" ? "yours" : "added"}${instead(row)})`;
  if (row.status === "broken") return `${row.reason ?? ""}${origin}`;
  const login = row.status === "needs-login" ? `; ${row.reason ?? ""}: deputy login ${row.id}` : "";
  return `${row.description || row.name}${origin}${login}`;
}

function instead({ shadows }: SkillRow): string {
  return shadows.length === 0 ? "" : ", in place of another";
}

function addedLine(row: SkillRow): string {
  const state = { ready: "", "needs-login": " It needs a login", broken: " It is broken" }[row.status];
  const why = state === "" ? "" : `${state}: ${row.reason ?? "see deputy skills list"}.`;
  const shadow =
    row.shadows.length === 0 ? "" : " It is used in place of another of that id, and has none of its grants.";
  const { length } = row.operations;
  const count = length === 1 ? "1 operation" : `${length === 0 ? "no" : length} operations`;
  return plain(`Added ${row.id}: ${count}.${shadow}${why}`);
}

function described(details: SkillDetails): string {
  const lines = [
    `${details.name} (${details.id}): ${details.description}`,
    `${STATUS[details.status]}${details.reason === undefined ? "" : `, ${details.reason}`}; ${details.folder}`,
  ];
  for (const { name, domain, auth, base_url, hosts } of details.connections) {
    const more = hosts === "any" ? ", anywhere" : hosts.length > 0 ? `, also ${hosts.join(", ")}` : "";
    lines.push(
      `  ${name}: ${auth === "none" ? "no login" : `${auth} of ${domain}`} at ${base_url ?? "any of its hosts"}${more}`,
    );
  }
  for (const { name, description, params, effect, internal } of details.tools) {
    const given = params.map((param) => (param.required ? param.name : `[${param.name}]`)).join(" ");
    const notes = [...(effect === "read" ? [] : [effect]), ...(internal ? ["supplies logins"] : [])];
    lines.push(
      `${name} ${given}`.trimEnd() + `: ${description}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`,
    );
  }
  for (const warning of details.warnings) lines.push(`warning: ${placed(warning)}`);
  return lines.map(plain).join("\n");
}

function reported({ id, errors, warnings }: SkillReport): string {
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const parts = [
    ...(errors.length > 0 ? [count(errors.length, "error")] : []),
    ...(warnings.length > 0 ? [count(warnings.length, "warning")] : []),
  ];
  const lines = [`${id}: ${parts.join(", ") || "ok"}`];
  for (const [kind, problems] of [
    ["error", errors],
    ["warning", warnings],
  ] as const) {
    for (const problem of problems) {
      lines.push(`  ${kind}  ${placed(problem)}`);
      if (problem.hint !== undefined) lines.push(`         ${problem.hint}`);
    }
  }
  return lines.map(plain).join("\n");
}

function placed({ file, line, column, message }: SkillProblem): string {
  return line === undefined ? `${file}: ${message}` : `${file}:${line}:${column ?? 1}: ${message}`;
}
