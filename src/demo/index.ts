/**
 * The product shown on an embedded site, a chapter a promise: the real commands in homes of their own, a real browser
 * where there is one, no account and no internet. What it claims is checked, and what does not hold fails it.
 * It reads and changes nothing of the owner's, and leaves nothing behind however it ends.
 */
export { runDemo, type Shown } from "./run-demo.ts";
export type { Chapter } from "./stage.ts";
