/**
 * The jail: runs a program with nothing but the files it was given, without network, under limits, and ends it with
 * all it started. Hosts of skills, commands, SQL and slow steps run in one.
 * It refuses to start a program unjailed where the system has no jail to offer, unless the program fences itself.
 */
export { createJail } from "./create-jail.ts";
export type { Jail, Jailed, JailExit, JailSpec } from "./jail.ts";
