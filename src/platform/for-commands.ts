/**
 * The second door of this folder: what it takes to find the engine, or to start it. `index.ts` has these too; a command that came
 * in there would load all of the operating system to ask one question, and take twice as long.
 */
export { callingAgent } from "./calling-agent.ts";
export { engineEnvironment, type Environment, readEnvironment } from "./environment.ts";
export { FileLock } from "./file-lock.ts";
export { type HomePaths, homePaths, prepareHome } from "./home.ts";
export { isRunning, startDetached } from "./process.ts";
