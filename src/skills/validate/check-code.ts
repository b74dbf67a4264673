import type { Executor, StepExecutor } from "../executor.ts";
import { nearest } from "../nearest.ts";
import type { Skill } from "../skill.ts";
import { hasKey } from "./check-secrets.ts";
import type { Findings } from "./findings.ts";

/** Whether the code an operation names is there, and no key is pasted into it. Nothing is run. */
export function checkCode(findings: Findings, skill: Skill, files: ReadonlyMap<string, Buffer>): void {
  const check = (executor: Executor | StepExecutor, path: readonly (string | number)[]) => {
    if (executor.kind !== "typescript" && executor.kind !== "python") return;
    const { kind, module, function: name } = executor;
    const content = files.get(module);
    const at = [...path, kind, "module"];
    const wanted = kind === "python" ? /\.py$/ : /\.[cm]?[jt]s$/;
    if (!wanted.test(module)) findings.add("error", at, `${module} is not a ${kind} file`);
    else if (content === undefined) {
      const near = nearest(module, files.keys());
      findings.add("error", at, `there is no file ${module}`, near && `Did you mean ${near}?`);
    } else if (
      !new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`).test(content.toString("utf8"))
    ) {
      findings.add("error", [...path, kind, "function"], `${module} has no function ${name}`);
    }
  };
  for (const { name, executor } of skill.operations.values()) {
    const path = ["operations", name];
    check(executor, path);
    if (executor.kind !== "steps") continue;
    for (const [index, step] of executor.steps.entries()) check(step.executor, [...path, "steps", index]);
  }
  for (const [file, content] of files) {
    if (
      file === "skill.yaml" ||
      file.includes("node_modules/") ||
      !/\.(py|[cm]?[jt]s|sh|json|md)$/.test(file)
    )
      continue;
    if (hasKey(content.toString("utf8"))) {
      findings.inFile(
        "error",
        file,
        "has something in it that looks like a secret",
        "Take it out: logins come from the vault.",
      );
    }
  }
}
