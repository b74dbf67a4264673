import type { Identity } from "../../kernel/index.ts";
import type { Rememberer, Shelf, SkillState } from "../run/skill-state.ts";

/** A memory that begins empty and ends with the run: what a skill asks for must not depend on what it asked before. */
export function createPassingState(): SkillState {
  const shelves = new Map<string, Map<string, unknown>>();
  const at = (shelf: Shelf, { id }: Rememberer, identity: Identity | null) =>
    shelves.getOrInsertComputed(JSON.stringify([shelf, id, identity]), () => new Map<string, unknown>());
  return {
    read: (shelf, skill, identity) => Object.fromEntries(at(shelf, skill, identity)),
    get: (shelf, skill, identity, key) => at(shelf, skill, identity).get(key) ?? null,
    merge(shelf, skill, identity, values) {
      for (const [key, value] of Object.entries(values)) {
        if (value === null || value === undefined) at(shelf, skill, identity).delete(key);
        else at(shelf, skill, identity).set(key, value);
      }
    },
    clear: () => 0,
    [Symbol.dispose]: () => shelves.clear(),
  };
}
