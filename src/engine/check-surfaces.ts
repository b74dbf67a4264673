import { join } from "node:path";
import type { PolicyFile } from "../access/index.ts";
import { DeputyError } from "../kernel/index.ts";
import type { Environment, HomePaths } from "../platform/index.ts";
import { findAdapterProgram } from "../surfaces/index.ts";
import { adaptersOf, enabledSurfaces } from "./make-surfaces.ts";
import type { Check } from "./methods.ts";
import type { SurfaceConfig } from "./surface-config.ts";

interface Parts {
  readonly env: Environment;
  readonly paths: HomePaths;
  readonly policy: PolicyFile;
  readonly config: SurfaceConfig;
}

/** Where logins are delivered to, under which policy, and what stands in the way. */
export function checkSurfaces({ env, paths, policy, config }: Parts): Check[] {
  const on = enabledSurfaces(config);
  const message =
    on.length === 0 ? "Logins are delivered nowhere" : `Logins are delivered to: ${on.join(", ")}`;
  return [
    policyCheck(policy),
    { id: "surfaces", status: "ok", message },
    ...adapterChecks(env, paths, config),
  ];
}

function policyCheck(policy: PolicyFile): Check {
  try {
    const { mode, allow, block } = policy.read();
    const lists = mode === "allowlist" ? `only ${allow.length} patterns` : `all but ${block.length} patterns`;
    return { id: "policy", status: "ok", message: `The policy lets ${lists} move` };
  } catch (error) {
    if (!(error instanceof DeputyError)) throw error;
    const { message, hint } = error;
    return { id: "policy", status: "fail", message, ...(hint === undefined ? {} : { hint }) };
  }
}

function adapterChecks(env: Environment, paths: HomePaths, { files }: SurfaceConfig): Check[] {
  const { adapters, problems } = adaptersOf({ paths });
  const places = { env, surfaces: join(paths.home, "surfaces") };
  const chosen = files.adapters.map((id): Check => {
    const adapter = adapters.find((one) => one.id === id);
    if (adapter === undefined)
      return { id: `adapter-${id}`, status: "warn", message: `There is no adapter ${id}` };
    const there = findAdapterProgram(adapter, places) !== undefined;
    const message = there ? `${id} gets its session files` : `${id} is not installed`;
    return { id: `adapter-${id}`, status: there ? "ok" : "warn", message };
  });
  return [...chosen, ...problems.map(({ message }): Check => ({ id: "adapters", status: "warn", message }))];
}
