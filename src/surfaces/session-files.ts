import { chmodSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { type Cookie, recordRefusal, refusalReasons, registrableDomain } from "../cookies/index.ts";
import { type Clock, DeputyError, type Secret } from "../kernel/index.ts";
import { writeFileAtomic } from "../platform/index.ts";
import {
  type Adapter,
  type AdapterPlaces,
  type AdapterWrite,
  adapterWants,
  findAdapterProgram,
  findInstalled,
  placeOf,
} from "./adapter.ts";
import { cookieProblem } from "./check-cookie.ts";
import type { Rendered, Task } from "./file-format.ts";
import { configToml, cookiesJson } from "./header-formats.ts";
import { netscape, sessionJson, storageState } from "./list-formats.ts";
import { pasteSession } from "./paste-session.ts";
import { createSidecarSeal } from "./sidecar-seal.ts";
import { type Deletion, type Refusal, refuse, type Surface } from "./surface.ts";

export interface SessionFilesOptions {
  readonly adapter: Adapter;
  readonly places: AdapterPlaces;
  readonly clock: Clock;
  /** For adapters whose program opens what is sealed. */
  readonly key?: () => Promise<Secret>;
  /** What programs were given last, by their paths, kept from one delivery to the next. */
  readonly pasted?: Map<string, string>;
}

const ONE_SITE_ONLY = new Set<AdapterWrite["format"]>(["config-toml", "cookies-json", "command"]);

/** The session files of another program, in the form an adapter describes. */
export function createSessionFilesSurface(options: SessionFilesOptions): Surface {
  const { adapter, places, clock, pasted = new Map<string, string>() } = options;

  function admit(want: readonly Cookie[], now: number): { fit: Cookie[]; refused: Refusal[] } {
    const refused: Refusal[] = [];
    const sound = want.filter((cookie) => {
      const reasons = adapter.writes.map((write) => problemOf(write, cookie, now));
      const ended = cookie.expires !== null && cookie.expires <= now ? "it has ended" : undefined;
      const reason = ended ?? reasons.find((one) => one !== undefined);
      if (reason !== undefined) refused.push(refuse(cookie, reason));
      return reason === undefined;
    });
    if (!adapter.writes.some(({ format }) => ONE_SITE_ONLY.has(format))) return { fit: sound, refused };
    // A header names no site: cookies of two in one would be sent to both.
    const site = siteOfNewest(sound);
    const fit = sound.filter((cookie) => siteOf(cookie) === site);
    for (const cookie of sound)
      if (siteOf(cookie) !== site)
        refused.push(refuse(cookie, `only one site fits in, and the login at ${site} is newer`));
    return { fit, refused };
  }

  async function deliver(want: readonly Cookie[], gone: readonly Deletion[]) {
    const now = clock.now();
    const { fit, refused } = admit(want, now);
    const key = adapter.seal ? await options.key?.() : undefined;
    using _key = key;
    const task = { want: fit, gone, now, seal: key && createSidecarSeal(key) };
    const outcomes: Omit<Rendered, "text">[] = [];
    for (const write of adapter.writes) outcomes.push(await perform(write, task));
    // An adapter's files say the same thing; the one that lagged behind decides.
    const unchanged = Math.min(...outcomes.map((one) => one.unchanged));
    const deleted = Math.max(...outcomes.map((one) => one.deleted));
    const counts = { delivered: fit.length - unchanged, unchanged, deleted };
    return { surface: "files" as const, target: targetOf(adapter, places), ...counts, refused };
  }

  async function perform(write: AdapterWrite, task: Omit<Task, "old">): Promise<Omit<Rendered, "text">> {
    if (write.format === "command") {
      const program = findInstalled(write.argv[0], adapter.installed?.folders ?? [], places);
      if (program === undefined) throw notInstalled(adapter);
      return pasteSession({ write, program, places, pasted }, task);
    }
    const path = realPath(placeOf(write.path, places));
    const old = readOrNothing(path);
    const rendered = render(write, { ...task, old });
    if (rendered.text !== old && !(old === undefined && task.want.length === 0)) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileAtomic(path, rendered.text);
    } else if (old !== undefined) chmodSync(path, 0o600);
    return rendered;
  }

  return {
    id: "files",
    target: targetOf(adapter, places),
    wants: (host) => adapterWants(adapter, host),
    async deliver(want, gone) {
      if (findAdapterProgram(adapter, places) === undefined) throw notInstalled(adapter);
      return deliver(want, gone);
    },
  };
}

/** Why a file of this form cannot carry the cookie. */
function problemOf(write: AdapterWrite, cookie: Cookie, now: number): string | undefined {
  if (write.format !== "storage-state") return cookieProblem(cookie);
  const reason = recordRefusal(cookie, now);
  return reason === undefined ? undefined : refusalReasons[reason];
}

function render(write: Exclude<AdapterWrite, { format: "command" }>, task: Task): Rendered {
  switch (write.format) {
    case "config-toml":
      return configToml(task, write);
    case "cookies-json":
      return cookiesJson(task);
    case "session-json":
      return sessionJson(task, write);
    case "netscape":
      return netscape(task);
    case "storage-state":
      return storageState(task);
  }
}

function targetOf({ id, writes }: Adapter, places: AdapterPlaces): string {
  const [first] = writes;
  return first === undefined || first.format === "command" ? id : `${id}: ${placeOf(first.path, places)}`;
}

function siteOf({ domain }: Cookie): string {
  return registrableDomain(domain) ?? domain;
}

function siteOfNewest(cookies: readonly Cookie[]): string | undefined {
  const newest = cookies.reduce<Cookie | undefined>(
    (best, one) => (best === undefined || one.updated > best.updated ? one : best),
    undefined,
  );
  return newest && siteOf(newest);
}

/** Through a link, as people keep their dotfiles: the file it leads to is the one to replace. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new DeputyError("READ_ONLY", `Cannot read ${path}`, { hint: "Check who owns it.", cause: error });
  }
}

function notInstalled({ id, installed }: Adapter): DeputyError {
  return new DeputyError("NOT_FOUND", `${installed?.program ?? id} is not installed`, {
    hint: "Take it out of surfaces.files.adapters in config.yaml, or install it.",
  });
}
