import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CHROMIUM_SCHEMA, KNOWN_VERSIONS, toWebKitTime, writeCookies } from "../chromium/index.ts";
import { type Cookie, refusalReasons } from "../cookies/index.ts";
import { type Clock, DeputyError, type Secret } from "../kernel/index.ts";
import { FileLock, ForeignWriter, moveIntoPlace, temporaryBeside } from "../platform/index.ts";
import { readPlainRows } from "./sidecar-rows.ts";
import { createSidecarSeal, SEAL_MARK, type SidecarSeal } from "./sidecar-seal.ts";
import { type Deletion, type Delivery, type Refusal, refuse, type Surface } from "./surface.ts";

export interface SidecarOptions {
  /** `DEPUTY_HOME/surfaces/cookies-plain.db`. */
  readonly path: string;
  readonly clock: Clock;
  /** The key values are sealed with, made where there is none. Absent: values in clear. */
  readonly key?: () => Promise<Secret>;
}

const PATIENCE_MS = 30_000;
const NOTHING = Buffer.alloc(0);
const SCHEMA = `${CHROMIUM_SCHEMA}
  INSERT INTO meta VALUES ('version', '${KNOWN_VERSIONS.most}'), ('last_compatible_version', '${KNOWN_VERSIONS.most}')`;

/**
 * A database of Chrome's form with the values in `value`, for programs that cannot open a browser's seal. Written
 * anew beside the old one and moved into its place; writers take turns.
 */
export function createSidecarSurface(options: SidecarOptions): Surface {
  const { path, clock } = options;

  function write(want: readonly Cookie[], gone: readonly Deletion[], key: Secret | undefined): Delivery {
    removeLeftovers(path);
    const refused: Refusal[] = [];
    const writable = want.filter((cookie) => {
      const reason = rowProblem(cookie, clock.now(), options.key !== undefined);
      if (reason !== undefined) refused.push(refuse(cookie, reason));
      return reason === undefined;
    });
    const seal = key && createSidecarSeal(key);
    const temporary = temporaryBeside(path);
    const filling = { want: writable, gone, seal, now: clock.now() };
    try {
      const written = fillFrom(temporary, path, filling);
      if (written.changed) moveIntoPlace(temporary, path);
      const { delivered, unchanged, deleted } = written;
      return { surface: "sidecar", target: path, delivered, unchanged, deleted, refused };
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  return {
    id: "sidecar",
    target: path,
    async deliver(want, gone) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      using key = await options.key?.();
      using _turn = await takeTurn(path);
      return write(want, gone, key);
    },
  };
}

/** From what is there; from nothing where that is damaged, since it can be delivered again. */
function fillFrom(temporary: string, path: string, filling: Filling) {
  try {
    return fill(temporary, existsSync(path) ? path : undefined, filling);
  } catch (error) {
    if (!(error instanceof DeputyError) || !/^(DATABASE_CORRUPT|UNSUPPORTED)$/.test(error.code)) throw error;
    rmSync(temporary, { force: true });
    return fill(temporary, undefined, filling);
  }
}

interface Filling {
  readonly want: readonly Cookie[];
  readonly gone: readonly Deletion[];
  readonly seal: SidecarSeal | undefined;
  readonly now: number;
}

function fill(temporary: string, from: string | undefined, { want, gone, seal, now }: Filling) {
  closeSync(openSync(temporary, "wx", 0o600));
  if (from !== undefined) copyFileSync(from, temporary);
  chmodSync(temporary, 0o600); // copying brings the old file's mode along
  using db = ForeignWriter.scratch(temporary);
  if (from === undefined) db.exec(SCHEMA);
  return db.exclusively(() => {
    const dropped = dropEnded(db, now) + turnSealing(db, seal);
    const written = writeCookies(db, {
      want,
      gone,
      read: (rows) => readPlainRows(rows, seal),
      hold: (cookies) =>
        cookies.map(({ cookie: { value } }) => ({ value: seal?.seal(value) ?? value, sealed: NOTHING })),
      proves: (written) =>
        written.every(({ value, cookie }) => (seal?.open(value) ?? value) === cookie.value),
    });
    return { ...written, changed: from === undefined || dropped + written.delivered + written.deleted > 0 };
  });
}

function dropEnded(db: ForeignWriter, now: number): number {
  return db.run("DELETE FROM cookies WHERE has_expires = 1 AND expires_utc <= ?", toWebKitTime(now));
}

/** Once sealing is on no value stays in clear; once it is off, values nobody can open any more go. */
function turnSealing(db: ForeignWriter, seal: SidecarSeal | undefined): number {
  if (seal === undefined)
    return db.run(`DELETE FROM cookies WHERE substr(value, 1, ${SEAL_MARK.length}) = '${SEAL_MARK}'`);
  const clear = db.all(
    `SELECT rowid, value FROM cookies WHERE substr(value, 1, ${SEAL_MARK.length}) <> '${SEAL_MARK}'`,
  );
  for (const [row = null, value] of clear)
    db.run("UPDATE cookies SET value = ? WHERE rowid = ?", seal.seal(String(value)), row);
  return clear.length;
}

function rowProblem({ expires, value }: Cookie, now: number, sealed: boolean): string | undefined {
  if (expires !== null && expires <= now) return refusalReasons.expired;
  if (!sealed && value.startsWith(SEAL_MARK))
    return "its value looks like a sealed one, and readers would take it so";
  return undefined;
}

/** Of a writer that was killed. The caller has the turn, so nobody is writing them. */
function removeLeftovers(path: string): void {
  const start = `.${basename(path)}.`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(start) && name.endsWith(".tmp")) rmSync(join(dirname(path), name), { force: true });
}

async function takeTurn(path: string): Promise<FileLock> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const lock = FileLock.tryTake(`${path}.lock`);
    if (lock !== undefined) return lock;
    if (Date.now() > until)
      throw new DeputyError("DATABASE_BUSY", `Cannot write ${path}: another process is at it`, {
        hint: "Try again in a moment.",
      });
    await sleep(2 + Math.random() * 8);
  }
}
