/** Writes docs/formats/skill.schema.json anew. Run it, then npm run format. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifestJsonSchema } from "../../src/skills/index.ts";

const file = join(import.meta.dirname, "../../docs/formats/skill.schema.json");
writeFileSync(file, `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`);
