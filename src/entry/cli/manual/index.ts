/**
 * What is made of the commands' own definitions: completions for shells, and the manual page. Nothing here is written twice;
 * what only the engine knows is asked of one that runs, and completing a line never starts one, asks for a passphrase or fails.
 */
export { bashCompletion } from "./bash-completion.ts";
export { completionValues } from "./completion-values.ts";
export { type Described, describeCommands } from "./describe-commands.ts";
export { fishCompletion } from "./fish-completion.ts";
export { manPage } from "./man-page.ts";
export { ASKED } from "./value-kinds.ts";
export { zshCompletion } from "./zsh-completion.ts";
