import type { Graph, ShapeBook } from "../../graph/index.ts";
import { type Caller, DeputyError, type Identity } from "../../kernel/index.ts";
import type { RunDone, SkillLibrary } from "../../skills/index.ts";
import { createClaim } from "../graph/claim-account.ts";
import type { RunMeta } from "./run-methods.ts";

interface Parts {
  readonly graph: Graph;
  readonly shapes: () => ShapeBook;
  readonly library: SkillLibrary;
}

/** A run does not wait longer for the graph than this: what it was given is written all the same. */
const PATIENCE_MS = 3000;

/** A run with what became of its result. */
export interface RememberedRun extends Omit<RunDone, "meta"> {
  readonly meta: RunMeta;
}

/** Called before the run, so that the graph is there when it is done; what it gives is called with the result. */
export type RememberRun = (asked: {
  readonly caller: Caller;
  readonly remember: boolean | undefined;
}) => (done: RunDone) => Promise<RememberedRun>;

/**
 * Puts the entities of a result into the graph before the answer leaves: whoever has the answer can find them. Whatever
 * is wrong with the graph is a warning; the run was done.
 */
export function createRememberRun({ graph, shapes, library }: Parts): RememberRun {
  const claim = createClaim(graph);

  async function identityOf({ meta }: RunDone): Promise<Identity | undefined> {
    if (meta.account === null || meta.connection === null) return undefined;
    const domain = (await library.find(meta.skill))?.connections.get(meta.connection)?.domain;
    return domain === undefined || domain === null ? undefined : { domain, identifier: meta.account };
  }

  const keep = async (done: RunDone, caller: Caller, wanted: boolean): Promise<RememberedRun> => {
    const meta = (remembered: number | null, ...warnings: string[]) => ({
      ...done,
      meta: { ...done.meta, remembered, warnings: [...done.meta.warnings, ...warnings] },
    });
    if (!wanted) return meta(null);
    const entities = shapes().entitiesOf(done.returns, done.data);
    try {
      const identity = await identityOf(done);
      const stored = done.meta.stored.map(({ domain, account }) => ({ domain, identifier: account }));
      for (const own of [...(identity === undefined ? [] : [identity]), ...stored])
        void claim(own).catch(() => {});
      if (entities.length === 0) return meta(null);
      const { skill, operation } = done.meta;
      const source = {
        agent: caller.agent,
        skill,
        operation,
        ...(identity === undefined ? {} : { identity }),
      };
      const kept = await soon(graph.remember({ entities, source }));
      if (kept === undefined) return meta(null, "The graph is busy: the result is being remembered");
      return meta(new Set(kept.ids).size, ...kept.warnings);
    } catch (error) {
      const why = error instanceof DeputyError ? error.message : "the graph failed";
      return meta(null, `The result was not remembered: ${why}`);
    }
  };

  return ({ caller, remember = true }) => {
    if (remember) graph.prepare();
    return (done) => keep(done, caller, remember);
  };
}

async function soon<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {}); // when it fails later, nobody is left to tell
  }
}
