import { statSync } from "node:fs";
import { join } from "node:path";
import type { PolicyFile } from "../../access/index.ts";
import type { Browsers } from "../../browsers/index.ts";
import { findBrowserUse, userDataOf } from "../../chromium/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Environment, HomePaths } from "../../platform/index.ts";
import { findAdapterProgram, type SurfaceId } from "../../surfaces/index.ts";
import type { LastDelivery, LastResults } from "./last-results.ts";
import { adaptersOf, enabledSurfaces, sidecarPath } from "./make-surfaces.ts";
import type { Check } from "../methods.ts";
import type { SurfaceConfig } from "./surface-config.ts";

interface Parts {
  readonly env: Environment;
  readonly paths: HomePaths;
  readonly policy: PolicyFile;
  readonly config: SurfaceConfig;
  readonly browsers: Browsers;
  readonly results: LastResults;
  /** Profiles whose browser something waits for. */
  readonly waiting: readonly string[];
}

const PATIENCE_MS = 2_000;

/** Where logins are delivered to, under which policy, how that went last, and what stands in the way. */
export async function checkSurfaces(parts: Parts): Promise<Check[]> {
  const on = enabledSurfaces(parts.config);
  const message =
    on.length === 0 ? "No login is delivered by itself" : `Logins are delivered to: ${on.join(", ")}`;
  const checks: Check[] = [policyCheck(parts.policy), { id: "surfaces", status: "ok", message }];
  for (const id of on) checks.push(...(await CHECK[id](parts)));
  const hint = "They are delivered when it exits; deputy deliver --restart-browser does not wait.";
  for (const profile of parts.waiting)
    checks.push({
      id: "waiting",
      status: "warn",
      message: `Logins wait for the browser of ${profile}`,
      hint,
    });
  return [...checks, ...parts.results.deliveries.map(lastCheck)];
}

function policyCheck(policy: PolicyFile): Check {
  try {
    const { mode, allow, block } = policy.read();
    const names = mode === "allowlist" ? allow : block;
    const listed = names.length === 1 ? "one pattern" : `${names.length} patterns`;
    const what =
      mode === "allowlist" ? `only ${listed}` : block.length === 0 ? "everything" : `all but ${listed}`;
    return { id: "policy", status: "ok", message: `The policy lets ${what} move` };
  } catch (error) {
    if (!(error instanceof DeputyError)) throw error;
    const { message, hint } = error;
    return { id: "policy", status: "fail", message, ...(hint === undefined ? {} : { hint }) };
  }
}

const CHECK: Readonly<Record<SurfaceId, (parts: Parts) => Promise<Check[]>>> = {
  async chromium({ browsers, config }) {
    const id = "surface-chromium";
    try {
      const { profile, browser } = config.chromium;
      const found = browsers.find({ profile, browser });
      const { kind } = await findBrowserUse(userDataOf(found.path));
      const { readable, warnings } = await browsers.reader(found).summary();
      const [problem] = warnings;
      if (!readable && problem !== undefined) return [{ id, status: "warn", message: problem.message }];
      const now = kind === "closed" ? "closed" : "in use";
      return [{ id, status: "ok", message: `The profile ${found.path} is there and ${now}` }];
    } catch (error) {
      return [{ id, ...problemOf(error) }];
    }
  },
  async sidecar({ paths, config }) {
    const id = "surface-sidecar";
    const path = sidecarPath(paths);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined)
      return [{ id, status: "ok", message: `${path} is written at the first delivery` }];
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0)
      return [{ id, status: "fail", message: `Others can read ${path}`, hint: `chmod 600 ${path}` }];
    const how = config.sidecar.seal ? "sealed" : "in clear for your programs";
    return [{ id, status: "ok", message: `${path} is private to you, its values ${how}` }];
  },
  async files({ env, paths, config: { files } }) {
    const { adapters, problems } = adaptersOf({ paths });
    const places = { env, surfaces: join(paths.home, "surfaces") };
    const chosen = files.adapters.map((one): Check => {
      const adapter = adapters.find(({ id }) => id === one);
      const id = `adapter-${one}`;
      if (adapter === undefined) return { id, status: "warn", message: `There is no adapter ${one}` };
      const there = findAdapterProgram(adapter, places) !== undefined;
      const message = there ? `${one} gets its session files` : `${one} is not installed`;
      return { id, status: there ? "ok" : "warn", message };
    });
    return [
      ...chosen,
      ...problems.map(({ message }): Check => ({ id: "adapters", status: "warn", message })),
    ];
  },
  async live({ config: { live } }) {
    const id = "surface-live";
    const { endpoint } = live;
    if (endpoint === undefined) {
      const hint = "surfaces: {live: {endpoint: http://127.0.0.1:9222}}";
      return [{ id, status: "warn", message: "Nobody said where the running browser listens", hint }];
    }
    if (!endpoint.startsWith("http"))
      return [{ id, status: "ok", message: "The running browser is asked when there is something for it" }];
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await fetch(new URL("/json/version", endpoint), { signal, redirect: "error" });
      await answer.body?.cancel();
      if (answer.ok) return [{ id, status: "ok", message: `A browser answers at ${endpoint}` }];
    } catch {} // whatever it is, nothing answers
    const hint = "Start the browser with --remote-debugging-port, or disable the surface.";
    return [{ id, status: "warn", message: `No browser answers at ${endpoint}`, hint }];
  },
};

function problemOf(error: unknown): Omit<Check, "id"> {
  if (!(error instanceof DeputyError)) throw error;
  const { message, hint } = error;
  return { status: "warn", message, ...(hint === undefined ? {} : { hint }) };
}

function lastCheck(last: LastDelivery): Check {
  const when = `${last.at.slice(0, 16).replace("T", " ")} UTC`;
  const counts = `${last.delivered} delivered, ${last.unchanged} unchanged, ${last.deleted} deleted, ${last.refused} refused`;
  const told = last.error ?? counts;
  const message = `Last to ${last.surface} (${last.target}), ${when}: ${told}`;
  return { id: `last-${last.surface}`, status: last.error === null ? "ok" : "warn", message };
}
