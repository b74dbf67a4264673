import type { Grants } from "../../access/index.ts";
import { type ResultSchema, resultSchema, type ShapeBook } from "../../graph/index.ts";
import { type Caller, DeputyError } from "../../kernel/index.ts";
import {
  capabilitiesOf,
  type CapabilityProvider,
  route,
  type Runner,
  type SkillLibrary,
  type Standing,
  standingOf,
} from "../../skills/index.ts";
import type { CapabilityMethods } from "./capability-methods.ts";
import type { Calls } from "../methods.ts";
import type { RememberRun } from "./remember-run.ts";
import { shownRun } from "./shown-run.ts";
import { asParam, asWritten } from "./skill-rows.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts {
  readonly library: SkillLibrary;
  readonly door: VaultDoor;
  readonly grants: () => Promise<Grants>;
  readonly runner: Runner;
  readonly shapes: () => ShapeBook;
  readonly remember: RememberRun;
}

/** Tools that skills provide together: what there is, and whose turn it is. */
export function createCapabilityCalls(parts: Parts): Calls<keyof CapabilityMethods> {
  const { library, runner, shapes } = parts;

  async function capabilities() {
    return capabilitiesOf((await library.list()).flatMap(({ skill }) => skill ?? []));
  }

  async function standings(caller: Caller): Promise<(provider: CapabilityProvider) => Standing> {
    const [vault, grants] = [await unlessLocked(parts.door.get()), await unlessLocked(parts.grants())];
    const hasLogin = (domain: string, type: string) =>
      vault?.keysOf(domain).some(({ itemType }) => itemType === type) ?? false;
    return (provider) => standingOf(provider, { grants, caller, hasLogin });
  }

  return {
    "capabilities.list": async (_input, { caller }) => {
      const standing = await standings(caller);
      return (await capabilities()).map(({ tool, description, params, providers }) => ({
        tool,
        description,
        params: params.map(asParam),
        returns_schema: sharedSchema(providers, shapes()),
        providers: providers.map((one) => ({
          skill: one.skill.id,
          operation: one.operation.name,
          effect: one.operation.effect,
          urls: one.urls,
          standing: standing(one),
        })),
      }));
    },

    "capabilities.call": async (input, { caller, signal, progress }) => {
      const { tool, skill: asked, detail, format, with_data = false, remember, ...request } = input;
      const call = { params: request.params, skill: asked };
      const { provider, why } = route(await capabilities(), tool, call, await standings(caller));
      const [skill, operation] = [provider.skill.id, provider.operation.name];
      const keep = parts.remember({ caller, remember });
      const done = await keep(await runner.run({ ...request, skill, operation, caller, signal, progress }));
      const view = { detail, format, with_data, caller, command: `deputy use ${tool}` };
      return { ...shownRun(done, view, shapes()), route: { skill, operation, why } };
    },
  };
}

function sharedSchema(providers: readonly CapabilityProvider[], book: ShapeBook): ResultSchema | null {
  const [first, ...others] = providers.map(({ operation }) => operation.returns);
  if (first === undefined) return null;
  const written = JSON.stringify(asWritten(first));
  if (others.some((one) => JSON.stringify(asWritten(one)) !== written)) return null;
  return resultSchema(book, first) ?? null;
}

/** Without a vault, or with one that is locked, there are no logins and no grants to see. */
async function unlessLocked<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof DeputyError) return undefined;
    throw error;
  }
}
