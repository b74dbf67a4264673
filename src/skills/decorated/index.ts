/**
 * Skills that say in Python what they have: `connection(...)`, and functions with decorators. They are read from the
 * syntax tree, by a Python that is jailed and has nothing; no code of a skill runs to learn what it declares.
 * What comes out is a manifest like any other, with the places it stands at.
 */
export { declareSkill } from "./declare-skill.ts";
export { declaringFiles, isDeclaring } from "./declaring-files.ts";
export { splitReadme } from "./front-matter.ts";
export { createSyntaxReader, type SyntaxReader } from "./syntax-reader.ts";
