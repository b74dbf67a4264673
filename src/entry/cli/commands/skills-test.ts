import { resolve } from "node:path";
import type { Command } from "commander";
import type { OperationReport, SkillTestReport } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import { withGrants } from "../ask-grant.ts";
import { define, given, type Options, text } from "../define.ts";
import type { Shell } from "../shell.ts";
import { plain } from "../table.ts";

export function addSkillsTest(skills: Command): void {
  define(skills, {
    usage: "test <skill>",
    summary: "run what may run, and look at every field of what comes back",
    example: "deputy skills test exa --op search",
    options: [
      ["--op <operation>", "only this one"],
      ["--record", "keep what is said, without logins, for --replay"],
      ["--replay", "no network and no login: answer from what was recorded"],
      ["--cassette <file>", "where the recording is (default: in Deputy's home)"],
      ["--write", "also what changes things; what destroys things only where --op names it"],
      ["--account <account>", "which account, where there are several"],
    ],
    async run(shell, [skill = ""], options) {
      const report = await tested(shell, skill, options);
      shell.show(report, described(report));
      return report.ok ? 0 : 1;
    },
  });
}

/** Where the owner can be asked for what is missing, they are, and what was denied is tried again. */
async function tested(shell: Shell, skill: string, options: Options): Promise<SkillTestReport> {
  const [operation, cassette] = [text(options, "op"), text(options, "cassette")];
  if (options["record"] === true && options["replay"] === true)
    throw new DeputyError("BAD_USAGE", "--record and --replay exclude each other", { hint: "Give one." });
  const request = {
    skill,
    mode: options["record"] === true ? "record" : options["replay"] === true ? "replay" : "live",
    write: options["write"] === true,
    ...(operation === undefined ? {} : { operation }),
    ...given(options, "account"),
    ...(cassette === undefined ? {} : { cassette: resolve(cassette) }),
  } as const;
  let report: SkillTestReport | undefined;
  try {
    return await withGrants(shell, async () => {
      report = await shell.call("skills.test", request);
      const denied = report.operations.find(({ error }) => error?.remedy !== undefined)?.error;
      if (denied !== undefined) throw DeputyError.fromWire(denied);
      return report;
    });
  } catch (error) {
    if (report === undefined) throw error;
    return report;
  }
}

function described(report: SkillTestReport): string {
  const { skill, mode, cassette, operations, tested: ran, failed, skipped } = report;
  const from =
    mode === "live" ? "" : `, ${mode === "record" ? "recorded to" : "replayed from"} ${cassette ?? ""}`;
  const sum = [
    `${ran} tested`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return [skill, ...operations.flatMap(lines), `${sum.join(", ")}${from}`].map(plain).join("\n");
}

function lines(report: OperationReport): string[] {
  const { operation, outcome, reason = "", error, duration_ms = 0, records = null } = report;
  if (outcome === "skipped") return [`  ${operation}: skipped (${reason})`];
  if (error !== undefined) {
    const hint = error.hint === undefined ? [] : [`      ${error.hint}`];
    return [`  ${operation}: failed`, `    ✗ ${error.message}`, ...hint];
  }
  const { fields = [], extra = [], problems = [], warnings = [] } = report;
  const count = records === null ? "a value" : `${records} ${records === 1 ? "record" : "records"}`;
  return [
    `  ${operation}: ${outcome}, ${count} in ${Math.round(duration_ms)} ms`,
    ...fields.map(
      ({ field, present, valid }) =>
        `    ${valid === present ? "✓" : "✗"} ${field}: in ${present}${records === null ? "" : ` of ${records}`}` +
        (valid === present ? "" : `, ${valid} valid`),
    ),
    ...problems.map((problem) => `    ✗ ${problem}`),
    ...(extra.length === 0 ? [] : [`    ! not declared: ${extra.join(", ")}`]),
    ...warnings.map((warning) => `    ! ${warning}`),
  ];
}
