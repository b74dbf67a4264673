import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browsers } from "../../browsers/index.ts";
import { type Clock, DeputyError } from "../../kernel/index.ts";
import type { Environment, HomePaths, Keyring } from "../../platform/index.ts";
import {
  type Adapter,
  createChromiumProfileSurface,
  createLiveSurface,
  createSessionFilesSurface,
  createSidecarSurface,
  findAdapterProgram,
  getSidecarKey,
  loadAdapters,
  type Surface,
  type SurfaceId,
  SURFACES,
} from "../../surfaces/index.ts";
import type { DeliverInput } from "./deliver-methods.ts";
import type { SurfaceConfig } from "./surface-config.ts";

export interface SurfaceParts {
  readonly env: Environment;
  readonly paths: HomePaths;
  readonly browsers: Browsers;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** What programs were given last, by their paths. */
  readonly pasted: Map<string, string>;
}

/** Beside src/ in a clone and beside dist/ in the published package. */
const BUNDLED = fileURLToPath(new URL("../../../adapters", import.meta.url));

export function adaptersOf({ paths }: Pick<SurfaceParts, "paths">) {
  return loadAdapters([BUNDLED, join(paths.home, "adapters")]);
}

export function sidecarPath(paths: HomePaths): string {
  return join(paths.home, "surfaces", "cookies-plain.db");
}

/** Which surfaces config.yaml enables, in the order they are run. */
export function enabledSurfaces({ chromium, sidecar, files, live }: SurfaceConfig): SurfaceId[] {
  const on = {
    chromium: chromium.enabled,
    sidecar: sidecar.enabled,
    files: files.adapters.length > 0,
    live: live.enabled,
  };
  return SURFACES.filter((id) => on[id]);
}

/** The surfaces of one delivery. Throws where nothing is enabled, or what was named cannot be. */
export function makeSurfaces(parts: SurfaceParts, config: SurfaceConfig, input: DeliverInput): Surface[] {
  const ids = input.surface === undefined ? enabledSurfaces(config) : [input.surface];
  if (ids.length === 0)
    throw new DeputyError("BAD_CONFIG", "No surface is enabled", {
      hint: "Name one (deputy deliver --surface sidecar), or enable it in config.yaml: surfaces: {sidecar: {enabled: true}}",
    });
  return ids.flatMap((id) => MAKE[id](parts, config, input));
}

type Make = (parts: SurfaceParts, config: SurfaceConfig, input: DeliverInput) => Surface[];

const MAKE: Readonly<Record<SurfaceId, Make>> = {
  chromium({ browsers, clock, paths }, { chromium }, input) {
    const wanted = { profile: input.profile ?? chromium.profile, browser: chromium.browser };
    const profile = browsers.find(input.profile === undefined ? wanted : { profile: input.profile });
    if (profile.family !== "chromium")
      throw new DeputyError("UNSUPPORTED", `Deputy writes no ${profile.browser} profiles`, {
        hint: "Name a profile of Chrome, Chromium, Brave or Edge: deputy browsers",
      });
    const surface = createChromiumProfileSurface({
      profile: profile.path,
      keysFor: (prefixes) => browsers.keysOf(profile, prefixes),
      clock,
      backups: join(paths.home, "surfaces", "backups"),
      sessionDays: chromium.session_days,
    });
    return [surface];
  },
  sidecar({ paths, keyring, clock }, { sidecar }) {
    const path = sidecarPath(paths);
    const key = sidecar.seal ? { key: () => getSidecarKey(keyring, path) } : {};
    return [createSidecarSurface({ path, clock, ...key })];
  },
  files(parts, { files }) {
    const { paths, env, clock, keyring, pasted } = parts;
    const places = { env, surfaces: join(paths.home, "surfaces") };
    const { adapters } = adaptersOf(parts);
    const chosen =
      files.adapters.length > 0
        ? files.adapters.map((id) => getAdapter(adapters, id))
        : adapters.filter((adapter) => typeof findAdapterProgram(adapter, places) === "string");
    if (chosen.length === 0)
      throw new DeputyError("NOT_FOUND", "None of the programs Deputy knows session files of is installed", {
        hint: `Choose some in config.yaml: surfaces: {files: {adapters: [cookies-txt]}}. There is ${adapters.map(({ id }) => id).join(", ")}`,
      });
    const key = () => getSidecarKey(keyring, sidecarPath(paths));
    return chosen.map((adapter) => createSessionFilesSurface({ adapter, places, clock, key, pasted }));
  },
  live({ clock }, { live }, input) {
    const endpoint = input.endpoint ?? live.endpoint;
    if (endpoint === undefined)
      throw new DeputyError("BAD_USAGE", "Say where the running browser listens", {
        hint: "Add --endpoint http://127.0.0.1:9222, or set surfaces.live.endpoint in config.yaml.",
      });
    return [createLiveSurface({ endpoint, clock })];
  },
};

function getAdapter(adapters: readonly Adapter[], id: string): Adapter {
  const adapter = adapters.find((one) => one.id === id);
  if (adapter !== undefined) return adapter;
  throw new DeputyError("BAD_CONFIG", `There is no adapter ${id}`, {
    hint: `There is ${adapters.map((one) => one.id).join(", ")}. Your own go into adapters/ of the Deputy home.`,
  });
}
