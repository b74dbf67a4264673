/**
 * The product shown on an embedded site: the real command in a home of its own, a real browser where there is one,
 * no account and no internet. It touches nothing of the owner's and removes what it made.
 */
export { runDemo } from "./run-demo.ts";
export type { Shown } from "./stage.ts";
