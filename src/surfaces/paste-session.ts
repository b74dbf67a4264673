import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { DeputyError } from "../kernel/index.ts";
import { runProcess } from "../platform/index.ts";
import { type AdapterPlaces, type AdapterWrite, placeOf } from "./adapter.ts";
import type { Rendered, Task } from "./file-format.ts";
import { headerOf } from "./header-formats.ts";

interface Paste {
  readonly write: Extract<AdapterWrite, { format: "command" }>;
  readonly program: string;
  readonly places: AdapterPlaces;
  /** By program, a hash of what it was given last: it cannot be asked. */
  readonly pasted: Map<string, string>;
}

const PATIENCE_MS = 30_000;

/** Hands a program the Cookie header on its standard input; where nothing is left to hand over, its session goes. */
export async function pasteSession(
  { write, program, places, pasted }: Paste,
  { want, gone }: Pick<Task, "want" | "gone">,
): Promise<Omit<Rendered, "text">> {
  const header = headerOf(want);
  if (header === "") {
    pasted.delete(program);
    const ended = gone.reduce((latest, { at }) => Math.max(latest, at), -Infinity);
    return { unchanged: 0, deleted: forget(write, places, ended) ? gone.length : 0 };
  }
  const digest = createHash("sha256").update(header).digest("hex");
  const before = pasted.get(program);
  if (digest === before) return { unchanged: want.length, deleted: 0 };
  const [, ...args] = write.argv;
  const options = { env: places.env, input: header, timeoutMs: PATIENCE_MS };
  const done = await runProcess([program, ...args], options);
  // Not what it printed: that may repeat what it was given.
  if (done.status !== 0)
    throw new DeputyError(
      "PROTOCOL",
      `${write.argv.join(" ")} did not take the cookies (status ${done.status})`,
      { hint: `Try it by hand: ${write.argv.join(" ")}` },
    );
  pasted.set(program, digest);
  return { unchanged: 0, deleted: before === undefined ? 0 : gone.length };
}

/** A session that is newer than the logout is another: the owner's own. */
function forget({ session }: Paste["write"], places: AdapterPlaces, ended: number): boolean {
  if (session === undefined) return false;
  const file = placeOf(session, places);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.mtimeMs > ended) return false;
  rmSync(file);
  return true;
}
