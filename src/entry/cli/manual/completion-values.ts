import { type EngineClient, findEngine, type NamesOnDisk, namesOnDisk } from "../../../engine/index.ts";
import type { Asked } from "./value-kinds.ts";

/** From the start of the process: a person who presses Tab is waiting. */
const PATIENCE_MS = 250;
const LEAST_MS = 50;

/**
 * Names for a line that is being typed: from the engine where one runs and answers at once, else from files. It starts nothing,
 * asks nobody, and an error is an empty list.
 */
export async function completionValues(
  what: Asked,
  skill: string,
  spent = performance.now(),
): Promise<readonly string[]> {
  const deadline = AbortSignal.timeout(Math.max(LEAST_MS, Math.round(PATIENCE_MS - spent)));
  const late = new Promise<undefined>((done) => deadline.addEventListener("abort", () => done(undefined)));
  const told = await Promise.race([fromEngine(what, skill), late]).catch(() => undefined);
  const names = told ?? fromFiles(namesOnDisk(), what, skill);
  // One name a line; what would break a line, or a terminal, is no name anybody types.
  return [...new Set(names)].filter((name) => name !== "" && !/[\p{Cc}\p{Cf}]/u.test(name)).sort();
}

async function fromEngine(what: Asked, skill: string): Promise<readonly string[] | undefined> {
  using engine = await findEngine({ via: "cli" });
  return engine === undefined ? undefined : await asked(engine, what, skill);
}

async function asked(engine: EngineClient, what: Asked, skill: string): Promise<readonly string[]> {
  switch (what) {
    case "skills":
      return (await engine.call("skills.list", {})).map(({ id }) => id);
    case "operations":
      return (await engine.call("skills.list", {})).find(({ id }) => id === skill)?.operations ?? [];
    case "tools":
      return (await engine.call("capabilities.list", {})).map(({ tool }) => tool);
    case "sessions":
      return (await engine.call("session.list", {})).map(({ id }) => id);
    case "saved":
      return (await engine.call("session.saved", {})).map(({ name }) => name);
    case "browsers":
      return (await engine.call("browsers", {})).map(({ browser }) => browser);
    case "peers":
      return (await engine.call("peers.list", {})).map(({ name }) => name);
    case "grants":
      return (await engine.call("grants.list", {})).map(({ id }) => id);
    case "shapes":
      return namesOnDisk().shapes;
  }
}

function fromFiles({ skills, shapes }: NamesOnDisk, what: Asked, skill: string): readonly string[] {
  if (what === "skills") return skills.map(({ id }) => id);
  if (what === "operations") return skills.find(({ id }) => id === skill)?.operations ?? [];
  return what === "shapes" ? shapes : [];
}
