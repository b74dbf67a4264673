/**
 * For programs that want a person's cookies and trust Deputy to have put them there: `deputize/sidecar`.
 * No file means nothing was delivered yet; a sealed file without its key is an error, never an empty list.
 */
import { join } from "node:path";
import { selectRows } from "../chromium/index.ts";
import { classify, type Cookie } from "../cookies/index.ts";
import { DeputyError, type Secret } from "../kernel/index.ts";
import { askDatabase, createKeyring, homePaths, readEnvironment } from "../platform/index.ts";
import { createSidecarSeal, findSidecarKey, SEAL_MARK } from "./sidecar-seal.ts";
import { readPlainRows } from "./sidecar-rows.ts";

export type { Cookie } from "../cookies/index.ts";
export { DeputyError } from "../kernel/index.ts";

export interface ReadSidecarOptions {
  /** Default: `surfaces/cookies-plain.db` in DEPUTY_HOME. */
  readonly path?: string;
  /** The key of sealed values. Default: asked of the system's keyring, only where a value is sealed. */
  readonly key?: () => Promise<Secret | undefined>;
  readonly now?: number;
}

export function defaultSidecarPath(): string {
  return join(homePaths(readEnvironment()).home, "surfaces", "cookies-plain.db");
}

/** The cookies that have not ended, values in clear whatever they are on disk. */
export async function readSidecar(options: ReadSidecarOptions = {}): Promise<Cookie[]> {
  const { path = defaultSidecarPath(), now = Date.now() } = options;
  const asked = await askDatabase(path, (db) => selectRows(db));
  if (asked.kind === "missing") return [];
  if (asked.kind !== "answer" || asked.value === undefined)
    throw new DeputyError(
      "DATABASE_CORRUPT",
      `Cannot read ${path}: it is not a sidecar that can be read now`,
      {
        hint: "Remove it and deliver again: deputy deliver --surface sidecar",
      },
    );
  const { rows } = asked.value;
  const isSealed = rows.some(({ value }) => typeof value === "string" && value.startsWith(SEAL_MARK));
  using key = isSealed ? await (options.key ?? (() => findSidecarKey(createKeyring(), path)))() : undefined;
  return readPlainRows(rows, key && createSidecarSeal(key))
    .filter(({ expires }) => expires === null || expires > now)
    .map((cookie) => ({ ...cookie, kind: classify(cookie).kind }));
}
