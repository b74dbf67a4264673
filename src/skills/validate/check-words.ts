import type { Skill } from "../skill.ts";
import type { Findings } from "./findings.ts";

/** What an agent is told decides whether it calls the right thing. */
export function checkWords(findings: Findings, skill: Skill): void {
  if (skill.operations.size === 0) return;
  if (skill.description === "") findings.add("warning", [], "has no description: agents choose by it");
  if (skill.readme === null) {
    findings.inFile(
      "warning",
      ".",
      "there is no readme.md",
      "Say when to use the skill, and what to expect.",
    );
  }
  for (const { name, description, params, test } of skill.operations.values()) {
    const path = ["operations", name];
    if (description === "") findings.add("warning", path, `${name} has no description`);
    if (!/^[a-z][a-z0-9_]*$/.test(name))
      findings.add("warning", path, `${name} is not in snake_case, as tools are`);
    for (const key of Object.keys(test.params)) {
      if (!params.has(key))
        findings.add("error", [...path, "test"], `the test gives ${key}, which is no parameter`);
    }
  }
}
