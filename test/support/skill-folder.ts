/** Skills as files in a folder of the test's own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createExpressions } from "../../src/expressions/index.ts";
import { type LoadedSkill, loadSkill, type Operation } from "../../src/skills/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type Files = Record<string, string | Buffer>;

export function writeSkill(folder: string, files: Files): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const expressions = createExpressions();

/** Loads a skill that exists for the length of the call. A string is its skill.yaml. */
export async function loadFiles(
  given: Files | string | Buffer,
  options: { origin?: "bundled" | "home" | "added"; platform?: NodeJS.Platform } = {},
): Promise<LoadedSkill> {
  using folder = temporaryFolder("skill");
  const files = typeof given === "string" || Buffer.isBuffer(given) ? { "skill.yaml": given } : given;
  writeSkill(join(folder.path, "demo"), files);
  return await loadSkill(join(folder.path, "demo"), { origin: "home", expressions, ...options });
}

/** The operation of a manifest that must load. */
export async function loadOperation(yaml: string, name = "op"): Promise<Operation> {
  const { skill, problems } = await loadFiles(yaml);
  const operation = skill?.operations.get(name);
  if (operation === undefined) throw new Error(`did not load: ${JSON.stringify(problems)}`);
  return operation;
}
