/**
 * The command line: parse, call the engine, render. It holds no secret longer than it takes to pass it on and
 * makes no decision the engine could make; it never prints a secret.
 */
export { main } from "./program.ts";
