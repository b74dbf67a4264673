/**
 * jq for skills: tells expressions from text, compiles a template of both into one jq program, and evaluates it in a
 * worker thread under limits of time, memory and size.
 * It refuses what reaches outside its input (environment, files, debug output, halting), roots that are not in scope,
 * and to quote any input value in an error.
 */
export { createExpressions, type Expressions } from "./create-expressions.ts";
export { ExpressionError } from "./expression-error.ts";
export { defaultLimits } from "./limits.ts";
export { looksLikeJq } from "./looks-like-jq.ts";
export { readsRoot } from "./reads-root.ts";
export type { Program, Roots, Scope, Template } from "./program.ts";
