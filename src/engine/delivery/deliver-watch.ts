import type { Browsers } from "../../browsers/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { HomePaths } from "../../platform/index.ts";
import { FileWatch } from "../../sync/index.ts";
import type { DeliveryRow } from "./deliver-methods.ts";
import { watchedFiles } from "./watched-files.ts";

interface Parts {
  readonly paths: HomePaths;
  readonly browsers: Browsers;
  readonly signal: AbortSignal;
  /** Brings the vault's copies of browsers' logins up to date. */
  readonly follow: () => Promise<void>;
  /** Equal: a delivery would find nothing else to do. */
  readonly stateNow: () => Promise<string>;
  readonly deliver: () => Promise<DeliveryRow[]>;
  readonly tell: (rows: readonly DeliveryRow[]) => void;
}

/** Delivers, and again whenever the vault, a browser, the policy or the config changed, until it is cancelled. */
export async function watchDeliveries(parts: Parts): Promise<number> {
  const { signal, browsers } = parts;
  let rounds = 0;
  let seen: string | undefined;
  let stamps: string | undefined;
  while (!signal.aborted) {
    using watch = new FileWatch(watchedFiles(parts), signal);
    const now = await stampsOf(browsers);
    if (now !== stamps) await parts.follow();
    stamps = now;
    const state = await parts.stateNow();
    if (state !== seen) {
      const rows = await parts.deliver();
      // The ledger's own line in the vault makes another round, in which nothing moves.
      if (seen === undefined || rows.some(hasNews)) {
        rounds += 1;
        parts.tell(rows);
      }
      seen = state;
    }
    await watch.changed().catch(unlessCancelled);
  }
  return rounds;
}

async function stampsOf(browsers: Browsers): Promise<string> {
  const profiles = browsers.list();
  return (await Promise.all(profiles.map((profile) => browsers.reader(profile).stamp()))).join("\n");
}

function hasNews({ delivered, deleted, error }: DeliveryRow): boolean {
  return delivered > 0 || deleted > 0 || error !== undefined;
}

function unlessCancelled(error: unknown): void {
  if (!(error instanceof DeputyError) || error.code !== "CANCELLED") throw error;
}
