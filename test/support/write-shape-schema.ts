/** Writes docs/formats/shape.schema.json anew. Run it, then npm run format. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { shapeJsonSchema } from "../../src/graph/index.ts";

const file = join(import.meta.dirname, "../../docs/formats/shape.schema.json");
writeFileSync(file, `${JSON.stringify(shapeJsonSchema(), null, 2)}\n`);
