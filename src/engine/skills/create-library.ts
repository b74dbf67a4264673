import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Expressions } from "../../expressions/index.ts";
import type { HomePaths } from "../../platform/index.ts";
import { AddedSkills, SkillLibrary, type SyntaxReader } from "../../skills/index.ts";

/** Beside src/ in a clone and beside dist/ in the published package. */
const BUNDLED = fileURLToPath(new URL("../../../skills", import.meta.url));

export function createLibrary(
  paths: HomePaths,
  expressions: Expressions,
  syntax?: () => Promise<SyntaxReader>,
): { readonly library: SkillLibrary; readonly added: AddedSkills } {
  const added = new AddedSkills({ file: join(paths.home, "skills.json"), home: paths.home });
  const library = new SkillLibrary({
    bundled: BUNDLED,
    home: join(paths.home, "skills"),
    added: () => added.list(),
    expressions,
    syntax,
  });
  return { library, added };
}
