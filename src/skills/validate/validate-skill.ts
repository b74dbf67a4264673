import { readFileSync } from "node:fs";
import { join } from "node:path";
import { YamlSource } from "../manifest/yaml-source.ts";
import type { LoadedSkill } from "../library/load-skill.ts";
import { readPinned } from "../library/skill-folder.ts";
import { byPlace, type Problem } from "../problem.ts";
import { checkCode } from "./check-code.ts";
import { checkLogins } from "./check-logins.ts";
import { checkPython } from "./check-python.ts";
import { checkReach } from "./check-reach.ts";
import { checkSecrets } from "./check-secrets.ts";
import { checkShapes, type ShapeNames } from "./check-shapes.ts";
import { Findings } from "./findings.ts";
import { checkWords } from "./check-words.ts";

export interface Validation {
  readonly id: string;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

interface ValidateOptions {
  readonly shapes: ShapeNames;
  readonly platform?: NodeJS.Platform;
}

/** Everything an author can be told without running anything: what loading found, and what only looks right. */
export function validateSkill(loaded: Omit<LoadedSkill, "stamp">, options: ValidateOptions): Validation {
  const findings = new Findings(loaded.source ?? sourceOf(loaded.folder));
  checkSecrets(findings, findings.source?.data);
  const { skill } = loaded;
  const platform = options.platform ?? process.platform;
  if (skill !== undefined) {
    checkShapes(findings, skill, options.shapes);
    checkReach(findings, skill, platform);
    checkLogins(findings, skill);
    const files = readPinned(skill);
    checkCode(findings, skill, files);
    checkPython(findings, files, { platform, ancestor: skill.ancestor });
    checkWords(findings, skill);
  }
  const all = byPlace([...loaded.problems, ...findings.problems]);
  return {
    id: loaded.id,
    errors: all.filter(({ severity }) => severity === "error"),
    warnings: all.filter(({ severity }) => severity === "warning"),
  };
}

/** For places. Undefined where there is none to point into. */
function sourceOf(folder: string): YamlSource | undefined {
  try {
    const source = YamlSource.parse(readFileSync(join(folder, "skill.yaml")), "skill.yaml");
    return source instanceof YamlSource ? source : undefined;
  } catch {
    return undefined;
  }
}
