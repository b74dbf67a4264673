import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Expressions } from "../../expressions/index.ts";
import { bundledShapes, loadShapes, type ShapeBook } from "../../graph/index.ts";
import { type Caller, DeputyError } from "../../kernel/index.ts";
import { fileError, type HomePaths } from "../../platform/index.ts";
import {
  type AddedSkills,
  type LibraryEntry,
  type LoadedSkill,
  loadSkill,
  newSkill,
  type SkillLibrary,
  type SyntaxReader,
  validateSkill,
} from "../../skills/index.ts";
import type { Calls } from "../methods.ts";
import { requireOwner } from "../permissions.ts";
import { loginsOf } from "./logins-of.ts";
import { asDetails, asProblem, asRow } from "./skill-rows.ts";
import type { SkillMethods, SkillReport } from "./skill-methods.ts";
import { SkillWatch } from "./skill-watch.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly library: SkillLibrary;
  readonly added: AddedSkills;
  readonly expressions: Expressions;
  readonly door: VaultDoor;
  readonly paths: HomePaths;
  readonly shapes: () => ShapeBook;
  readonly syntax?: (() => Promise<SyntaxReader>) | undefined;
}

type Loaded = Omit<LoadedSkill, "stamp">;

/** What there is to call, and the tools of those who write it. */
export function createSkillCalls(parts: Parts): Calls<keyof SkillMethods> {
  const { library, added } = parts;
  const watch = new SkillWatch({ library, folder: join(parts.paths.home, "skills") });

  async function entryOf(id: string): Promise<LibraryEntry> {
    const entry = (await library.list()).find((one) => one.id === id);
    if (entry !== undefined) return entry;
    await library.get(id); // throws, and says which one was meant
    throw new DeputyError("CONFLICT", `The skill ${id} is being changed`, { hint: "Try again." });
  }

  /** Read anew: an author may be writing a shape beside the skill. */
  function shapeNames(): { has(name: string): boolean; names(): readonly string[] } {
    const names = loadShapes({ folders: [bundledShapes, join(parts.paths.home, "shapes")] }).names();
    return { has: (name) => names.includes(name), names: () => names };
  }

  async function targetOf(target: { name: string; path: string }, caller: Caller): Promise<Loaded> {
    const known = await library.entry(target.name);
    if (known !== undefined) return known;
    if (!existsSync(target.path)) await library.get(target.name); // throws, and says which one was meant
    // An agent must not use the engine to look into folders it cannot read itself.
    requireOwner(caller, "reads skills outside the library");
    const { expressions, syntax } = parts;
    return loadSkill(target.path, { origin: "added", expressions, syntax });
  }

  return {
    "skills.list": async () => {
      const logins = await loginsOf(parts.door);
      return (await library.list()).map((entry) => asRow(entry, logins));
    },

    "skills.follow": async (_input, { signal, progress }) => {
      let told = 0;
      using _following = watch.follow((lists) => {
        told += 1;
        progress({ message: "skills", lists });
      });
      if (!signal.aborted)
        await new Promise((done) => signal.addEventListener("abort", done, { once: true }));
      return { told };
    },

    "skills.show": async ({ skill: id }) => {
      const entry = await entryOf(id);
      return asDetails(entry, await library.get(id), await loginsOf(parts.door), parts.shapes());
    },

    "skills.validate": async ({ targets }, { caller }) => {
      const loaded: Loaded[] = [];
      for (const target of targets ?? []) loaded.push(await targetOf(target, caller));
      if (loaded.length === 0) loaded.push(...(await library.list()));
      const shapes = shapeNames();
      const skills = loaded.map((one): SkillReport => {
        const { id, errors, warnings } = validateSkill(one, { shapes });
        return { id, errors: errors.map(asProblem), warnings: warnings.map(asProblem) };
      });
      return { ok: skills.every(({ errors }) => errors.length === 0), skills };
    },

    "skills.new": async ({ name, folder, local }) => {
      const files = newSkill(name, { local: local ?? false });
      const target = resolve(folder ?? join(parts.paths.home, "skills", name));
      if (existsSync(target)) {
        throw new DeputyError("CONFLICT", `Cannot make ${target}: it is there already`, {
          hint: "Choose another name, or remove the folder first.",
        });
      }
      try {
        mkdirSync(target, { recursive: true });
        for (const [path, text] of files) writeFileSync(join(target, path), text, { flag: "wx" });
      } catch (error) {
        throw fileError(error, target);
      }
      return { id: name, folder: target, files: [...files.keys()] };
    },

    "skills.add": async ({ path, dev }) => {
      const folders = added.add(path, { dev: dev ?? false }).map((one) => one.path);
      watch.notice();
      const logins = await loginsOf(parts.door);
      const entries = (await library.list()).filter(({ folder }) => folders.includes(folder));
      return { added: entries.map((entry) => asRow(entry, logins)) };
    },

    "skills.remove": async ({ skill: id }) => {
      const { origin, folder } = await entryOf(id);
      if (origin !== "added" || !added.remove(folder)) {
        throw new DeputyError(
          "BAD_INPUT",
          `Cannot remove ${id}: ${origin === "home" ? "it was not added" : "it comes with Deputy"}`,
          {
            hint:
              origin === "home"
                ? `It is a folder of yours; delete ${folder}`
                : "Add one of the same id to use instead.",
          },
        );
      }
      watch.notice();
      const now = (await library.list()).find((one) => one.id === id);
      return { removed: id, folder, now: now?.origin ?? null };
    },
  };
}
