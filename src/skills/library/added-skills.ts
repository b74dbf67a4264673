import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import { z } from "zod";
import { DeputyError } from "../../kernel/index.ts";
import { writeFileAtomic } from "../../platform/index.ts";
import { isDeclaring, splitReadme } from "../decorated/index.ts";
import { readRegular } from "./skill-folder.ts";
import type { AddedSkill } from "./skill-library.ts";

const form = z.strictObject({
  version: z.literal(1),
  skills: z.array(z.strictObject({ path: z.string(), dev: z.boolean() })),
});

/** How far below a folder skills are looked for: `PATH/skills/kind/name`. */
const DEEPEST_TREE = 3;
const MOST_AT_ONCE = 200;

/** Which folders the owner added, kept in one file of the Deputy home. */
export class AddedSkills {
  readonly #file: string;
  readonly #home: string;

  constructor({ file, home }: { file: string; home: string }) {
    this.#file = file;
    this.#home = home;
  }

  /** A file that cannot be read costs the added skills, not the others; changing it then is refused. */
  list(): readonly AddedSkill[] {
    return this.#read() ?? [];
  }

  /** Adds a skill's folder, or every skill below it. Returns those that are there now. */
  add(path: string, { dev }: { dev: boolean }): readonly AddedSkill[] {
    const folder = this.#checked(path);
    const folders = isSkill(folder) ? [folder] : skillsBelow(folder, DEEPEST_TREE);
    if (folders.length === 0) {
      throw new DeputyError("BAD_INPUT", `Cannot add ${folder}: there is no skill in it`, {
        hint: "A skill is a folder with a skill.yaml, with Python that declares operations, or with a readme.md for instructions only.",
      });
    }
    if (folders.length > MOST_AT_ONCE) {
      throw new DeputyError("TOO_LARGE", `Cannot add ${folder}: it holds more than ${MOST_AT_ONCE} skills`, {
        hint: "Name a folder further down.",
      });
    }
    const kept = this.#forChange().filter((skill) => !folders.includes(skill.path));
    const added = folders.map((one): AddedSkill => ({ path: one, dev }));
    this.#write([...kept, ...added]);
    return added;
  }

  /** The files stay where they are. */
  remove(path: string): boolean {
    const before = this.#forChange();
    const after = before.filter((skill) => skill.path !== path);
    if (after.length === before.length) return false;
    this.#write(after);
    return true;
  }

  #checked(path: string): string {
    const full = resolve(path);
    let folder: string;
    try {
      folder = realpathSync(full);
    } catch {
      throw new DeputyError("NOT_FOUND", `Cannot add ${full}: there is no such folder`, {
        hint: "Check the path, or begin one: deputy skills new NAME",
      });
    }
    if (!statSync(folder).isDirectory()) {
      throw new DeputyError("BAD_INPUT", `Cannot add ${full}: it is not a folder`, {
        hint: basename(full) === "skill.yaml" ? "Name the folder it is in." : undefined,
      });
    }
    // What is pinned must not hold the vault, nor change with every run.
    if (`${this.#home}${sep}`.startsWith(`${folder}${sep}`)) {
      throw new DeputyError("BAD_INPUT", `Cannot add ${full}: Deputy's own home is in it`, {
        hint: "Name the skill's own folder.",
      });
    }
    return folder;
  }

  #read(): readonly AddedSkill[] | undefined {
    if (!existsSync(this.#file)) return [];
    try {
      return form.parse(JSON.parse(readFileSync(this.#file, "utf8"))).skills;
    } catch {
      return undefined;
    }
  }

  #forChange(): readonly AddedSkill[] {
    const skills = this.#read();
    if (skills !== undefined) return skills;
    throw new DeputyError("BAD_CONFIG", `Cannot change ${this.#file}: it is not what Deputy wrote`, {
      hint: "Correct it or move it away, then add your skills again.",
    });
  }

  #write(skills: readonly AddedSkill[]): void {
    writeFileAtomic(this.#file, `${JSON.stringify({ version: 1, skills }, null, 2)}\n`);
  }
}

function isSkill(folder: string): boolean {
  if (declares(folder)) return true;
  return (
    readdirSync(folder).some((name) => name.toLowerCase() === "readme.md") &&
    skillsBelow(folder, DEEPEST_TREE).length === 0
  );
}

/** Below a tree's root a readme.md alone is a chapter, not a skill. */
function skillsBelow(folder: string, levels: number): string[] {
  if (levels === 0) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^[._]/.test(entry.name) && entry.name !== "node_modules")
    .map((entry) => join(folder, entry.name))
    .sort()
    .flatMap((path) => (declares(path) ? [path] : skillsBelow(path, levels - 1)));
}

/** It has a manifest, or what stands for one. */
function declares(folder: string): boolean {
  const names = readdirSync(folder);
  if (names.includes("skill.yaml")) return true;
  return names.some((name) => {
    if (!name.endsWith(".py") && name.toLowerCase() !== "readme.md") return false;
    const text = textOf(join(folder, name));
    if (name.endsWith(".py")) return isDeclaring(name, text);
    return /^(operations|connections|provides):/m.test(splitReadme(text).front ?? "");
  });
}

function textOf(path: string): string {
  try {
    return readRegular(path).toString("utf8");
  } catch {
    return "";
  }
}
