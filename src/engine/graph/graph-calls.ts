import type { Graph, ShapeBook, Source } from "../../graph/index.ts";
import { type Caller, DeputyError } from "../../kernel/index.ts";
import type { SkillLibrary } from "../../skills/index.ts";
import type { GraphMethods } from "./graph-methods.ts";
import { createClaim } from "./claim-account.ts";
import { createGraphViews } from "./graph-views.ts";
import { listLogins } from "../vault/internal-rows.ts";
import type { Calls } from "../methods.ts";
import { asRow } from "../skills/skill-rows.ts";
import { loginsOf } from "../skills/logins-of.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly graph: Graph;
  readonly shapes: () => ShapeBook;
  readonly library: SkillLibrary;
  readonly door: VaultDoor;
}

/** What is remembered, as its readers and writers see it. Who wrote is the caller, never the input. */
export function createGraphCalls({ graph, shapes, library, door }: Parts): Calls<keyof GraphMethods> {
  const views = (caller: Caller) => createGraphViews(shapes(), caller);

  async function describeSkills(): Promise<void> {
    const logins = await loginsOf(door);
    const skills = (await library.list()).map((entry) => {
      const { id, name, description, status, operations } = asRow(entry, logins);
      const website = entry.skill?.website ?? null;
      return { id, name, description, status, operations, ...(website === null ? {} : { website }) };
    });
    await graph.describeSkills({ skills });
  }

  const claim = createClaim(graph);

  async function describeAccounts(): Promise<void> {
    const vault = await door.get().catch(() => undefined);
    for (const { key } of vault === undefined ? [] : listLogins(vault)) await claim(key);
  }

  return {
    "graph.search": async (input, { caller, signal }) => {
      const found = await graph.search(input, { signal });
      return { text: views(caller).found(found), ...found };
    },
    "graph.list": async (input, { caller, signal }) => {
      // What skills and logins there are is known elsewhere: it is taken over when somebody wants to see it.
      if (input.shape === "skill") await describeSkills();
      if (input.shape === "account") await describeAccounts();
      const listed = await graph.list(input, { signal });
      return { text: views(caller).listed(input, listed), ...listed };
    },
    "graph.get": async (input, { caller }) => {
      const entity = await graph.get(input);
      return { text: views(caller).detailed(entity), entity };
    },
    "graph.create": async (input, { caller }) => {
      const made = await graph.create({ ...input, source: sourceOf(caller) });
      return { text: views(caller).written("Created", made.entity, made.warnings), ...made };
    },
    "graph.update": async (input, { caller }) => {
      const done = await graph.update({ ...input, source: sourceOf(caller) });
      const verb = done.changed ? "Updated" : "Nothing changed";
      return { text: views(caller).written(verb, done.entity, done.warnings), ...done };
    },
    "graph.delete": async (input, { caller }) => {
      const { entity } = await graph.delete({ ...input, source: sourceOf(caller) });
      return { text: views(caller).written("Deleted", entity), entity };
    },
    "graph.restore": async (input, { caller }) => {
      const { entity } = await graph.restore({ ...input, source: sourceOf(caller) });
      return { text: views(caller).written("Restored", entity), entity };
    },
    "graph.history": async (input, { caller }) => {
      const { changes, next } = await graph.history(input);
      return { text: views(caller).history(changes, next), changes, next };
    },
    "graph.at": async ({ id, time }, { caller }) => {
      const at = Date.parse(time);
      if (Number.isNaN(at))
        throw new DeputyError("BAD_INPUT", "That is no time", {
          hint: "It looks like 2026-11-20T10:00:00Z.",
        });
      const state = await graph.stateAt({ id, time: at });
      return { text: views(caller).past(state, new Date(at).toISOString()), state };
    },
    "graph.counts": async () => graph.counts({}),
    "graph.export": async ({ path }, { signal, progress }) => {
      const done = await graph.exportTo(
        { path },
        { signal, progress: (done) => progress({ message: "Exporting", done }) },
      );
      return { path, ...done };
    },
    "graph.import": async ({ path }, { caller, signal, progress }) =>
      graph.importFrom(
        { path, source: sourceOf(caller) },
        { signal, progress: (done) => progress({ message: "Importing", done }) },
      ),
  };
}

function sourceOf({ agent }: Caller): Source {
  return { agent };
}
