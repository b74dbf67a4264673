import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Connection } from "../../auth/index.ts";
import type { SyntaxReader } from "../decorated/index.ts";
import type { Expressions } from "../../expressions/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { nearest } from "../nearest.ts";
import { describeProblem } from "../problem.ts";
import type { Origin, Skill } from "../skill.ts";
import { type LoadedSkill, loadSkill } from "./load-skill.ts";
import { type Glance, glance, mayProvide, mentions } from "./manifest-glance.ts";
import { folderState } from "./skill-folder.ts";

export interface AddedSkill {
  readonly path: string;
  readonly dev: boolean;
}

export interface LibraryEntry extends Omit<LoadedSkill, "stamp"> {
  /** Weaker ones of the same id that this one stands before. */
  readonly shadows: readonly { readonly origin: Origin; readonly folder: string }[];
}

interface LibraryParts {
  /** Folders that hold one folder a skill; they need not exist. */
  readonly bundled: string;
  readonly home: string;
  /** What the owner added, the newest last. */
  readonly added: () => readonly AddedSkill[];
  readonly expressions: Expressions;
  /** For skills that say in Python what they have. */
  readonly syntax?: (() => Promise<SyntaxReader>) | undefined;
}

interface Place {
  readonly folder: string;
  readonly origin: Origin;
  readonly dev: boolean;
}

interface Cached {
  readonly stamp: string;
  readonly loaded: Promise<LoadedSkill>;
}

/**
 * Every skill there is, loaded once and again when one of its files changes. A broken skill costs only itself, and
 * still stands before a weaker one of its id: other code is never run in its place.
 */
export class SkillLibrary {
  readonly #parts: LibraryParts;
  readonly #cache = new Map<string, Cached>();
  readonly #glances = new Map<string, Glance>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
  }

  /** Sorted by id; broken ones too. Loads them all. */
  async list(): Promise<readonly LibraryEntry[]> {
    const byId = new Map<string, LibraryEntry>();
    // At once, because most of loading is asking jq, which answers many in the time of one.
    const all = await Promise.all(this.#places().map((place) => this.#load(place)));
    // Strongest first; within a layer in the order of the folders' names.
    for (const { stamp: _, ...loaded } of all) {
      const stronger = byId.get(loaded.id);
      if (stronger === undefined) byId.set(loaded.id, { ...loaded, shadows: [] });
      else if (stronger.folder !== loaded.folder) {
        const shadows = [...stronger.shadows, { origin: loaded.origin, folder: loaded.folder }];
        byId.set(loaded.id, { ...stronger, shadows });
      }
    }
    return [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Undefined where there is none, or it is broken. Loads no other. */
  async find(id: string): Promise<Skill | undefined> {
    return (await this.entry(id))?.skill;
  }

  /** Throws NOT_FOUND, or SKILL_BROKEN with the first thing that is wrong. */
  async get(id: string): Promise<Skill> {
    const entry = await this.entry(id);
    if (entry?.skill !== undefined) return entry.skill;
    if (entry === undefined) {
      const near = nearest(id, this.#strongest().keys());
      throw new DeputyError("NOT_FOUND", `There is no skill ${id.slice(0, 64)}`, {
        hint: near === undefined ? "See what there is: deputy skills list" : `Did you mean ${near}?`,
      });
    }
    const first = entry.problems.find(({ severity }) => severity === "error");
    throw new DeputyError(
      "SKILL_BROKEN",
      `The skill ${id} cannot be used: ${first ? describeProblem(first) : "unknown"}`,
      {
        hint: `See everything: deputy skills validate ${id}`,
      },
    );
  }

  /** Every skill's way to reach a service: who may ask for its login, and how one can be checked. */
  async connectionsAt(domain: string): Promise<readonly Connection[]> {
    const found: Connection[] = [];
    for (const { place, seen } of this.#strongest().values()) {
      if (!mentions(seen, domain)) continue;
      const { skill } = await this.#load(place);
      for (const connection of skill?.connections.values() ?? []) {
        if (connection.domain === domain) found.push(connection);
      }
    }
    return found;
  }

  /** Those that supply something to others. Loads no other. */
  async providing(): Promise<readonly Skill[]> {
    const places = this.#strongest().values().toArray();
    const able = places.filter(({ place, seen }) => mayProvide(place.folder, seen));
    const loaded = await Promise.all(able.map(({ place }) => this.#load(place)));
    return loaded.flatMap(({ skill }) => (skill !== undefined && skill.provides.length > 0 ? [skill] : []));
  }

  /** What came of loading it, also where it is broken. */
  async entry(id: string): Promise<LoadedSkill | undefined> {
    const found = this.#strongest().get(id);
    if (found === undefined) return undefined;
    const loaded = await this.#load(found.place);
    // Its manifest may have been changed between the two looks.
    return loaded.id === id ? loaded : undefined;
  }

  /** By id, the one that counts, without loading any. */
  #strongest(): Map<string, { readonly place: Place; readonly seen: Glance }> {
    const byId = new Map<string, { place: Place; seen: Glance }>();
    for (const place of this.#places()) {
      const seen = glance(place.folder, this.#glances.get(place.folder));
      this.#glances.set(place.folder, seen);
      if (!byId.has(seen.id)) byId.set(seen.id, { place, seen });
    }
    return byId;
  }

  async #load(place: Place): Promise<LoadedSkill> {
    const key = keyOf(place);
    const cached = this.#cache.get(key);
    const { stamp } = folderState(place.folder);
    if (cached !== undefined && cached.stamp === stamp) return cached.loaded;
    const { expressions, syntax } = this.#parts;
    const lenient = place.origin === "added" && !place.dev;
    const loaded = loadSkill(place.folder, { ...place, lenient, expressions, syntax });
    this.#cache.set(key, { stamp, loaded });
    try {
      const { stamp: read } = await loaded;
      // Changed between the look and the reading: what was read is what the stamp must be of.
      if (read !== stamp && this.#cache.get(key)?.loaded === loaded)
        this.#cache.set(key, { stamp: read, loaded });
    } catch (error) {
      this.#cache.delete(key);
      throw error;
    }
    return loaded;
  }

  #places(): readonly Place[] {
    const { bundled, home, added } = this.#parts;
    const places = [
      ...added()
        .toReversed()
        .map(({ path, dev }): Place => ({ folder: path, origin: "added", dev })),
      ...foldersIn(home).map((folder): Place => ({ folder, origin: "home", dev: false })),
      ...foldersIn(bundled).map((folder): Place => ({ folder, origin: "bundled", dev: false })),
    ];
    this.#forget(places);
    return places;
  }

  #forget(places: readonly Place[]): void {
    if (this.#cache.size <= places.length && this.#glances.size <= places.length) return;
    const folders = new Set(places.map(({ folder }) => folder));
    const keys = new Set(places.map(keyOf));
    for (const key of this.#cache.keys()) if (!keys.has(key)) this.#cache.delete(key);
    for (const folder of this.#glances.keys()) if (!folders.has(folder)) this.#glances.delete(folder);
  }
}

function keyOf({ folder, origin, dev }: Place): string {
  return `${origin} ${dev} ${folder}`;
}

function foldersIn(parent: string): string[] {
  try {
    return readdirSync(parent)
      .filter((name) => !name.startsWith(".") && name !== "node_modules")
      .sort()
      .map((name) => join(parent, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
  } catch {
    return [];
  }
}
