import { isAgentName, oneName } from "../access/index.ts";
import { type Caller, DeputyError, newId } from "../kernel/index.ts";
import type { Hello } from "./wire.ts";

/** Longer ones are no version. */
const LONGEST_VERSION = 64;

export function parseHello(message: unknown): Hello | undefined {
  const hello = fieldOf(message, "hello");
  const [version, via, agent] = [fieldOf(hello, "version"), fieldOf(hello, "via"), fieldOf(hello, "agent")];
  if (typeof version !== "string" || (via !== "cli" && via !== "mcp")) return undefined;
  if (agent === undefined) return { version, via };
  const [name, its] = [fieldOf(agent, "name"), fieldOf(agent, "version")];
  if (typeof name !== "string" || (its !== undefined && typeof its !== "string")) return undefined;
  return { version, via, agent: { name, ...(its === undefined ? {} : { version: its }) } };
}

/**
 * The caller of every call on one connection. Somebody who gives a name is that agent; the owner is who gives none on the
 * command line. Throws DENIED for a name that means somebody else.
 */
export function callerOf({ via, agent }: Hello, pid: number | undefined): Caller {
  const known = { instance: newId("instance"), via, ...(pid === undefined ? {} : { pid }) };
  if (agent === undefined && via === "cli") return { kind: "owner", agent: "owner", ...known };
  if (agent === undefined || !isAgentName(agent.name)) {
    throw new DeputyError("DENIED", "An agent needs a name of its own", {
      hint: "Not owner, not *, not empty, at most 128 characters. On the command line it is in DEPUTY_AGENT.",
    });
  }
  const { name, version = "" } = agent;
  const its = /^[\x20-\x7e]+$/.test(version) ? { version: version.slice(0, LONGEST_VERSION) } : {};
  return { kind: "agent", agent: oneName(name), ...its, ...known };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
