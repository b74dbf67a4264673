import { createHmac } from "node:crypto";
import type { Clock } from "../kernel/index.ts";
import { Database } from "../platform/index.ts";
import type { Peer } from "./peer.ts";
import { openBox, sealBox } from "./sealed-box.ts";

/** What the peer is known to hold of one login. */
export interface SentLogin {
  readonly domain: string;
  readonly identifier: string;
  /** What the login looked like when it was sent whole; equal means that nothing changed. Empty: not all of it was. */
  readonly stamp: string;
  /** By cookie key, a hash of what was sent. */
  readonly cookies: ReadonlyMap<string, string>;
  /** By item type, the same of the rows of other kinds. */
  readonly rows: ReadonlyMap<string, string>;
}

export interface Link {
  readonly sequence: number;
  /** The state the peer acknowledged; null: none, or it lost it. */
  readonly base: string | null;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS links (peer TEXT PRIMARY KEY, sequence INTEGER NOT NULL, base TEXT,
    at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS sent (peer TEXT NOT NULL, login BLOB NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (peer, login)) STRICT, WITHOUT ROWID`;

/**
 * What each peer has acknowledged, so that only what changed is sent. Names of sites and cookies are sealed under a key
 * the vault holds. Losing the file, or what a power cut takes of it, costs one full push: it waits for no disk.
 */
export class SentStore implements Disposable {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #known = new Map<string, Map<string, SentLogin>>();

  constructor(path: string, clock: Clock) {
    this.#clock = clock;
    this.#db = new Database({ path, synchronous: "NORMAL" });
    this.#db.exec(SCHEMA);
  }

  link({ id }: Peer): Link {
    const row = this.#db.get("SELECT sequence, base FROM links WHERE peer = ?", id);
    const base = row?.["base"];
    return { sequence: Number(row?.["sequence"] ?? 0), base: typeof base === "string" ? base : null };
  }

  /** When the peer last acknowledged something; 0: never. */
  lastAt({ id }: Peer): number {
    return Number(this.#db.get("SELECT at FROM links WHERE peer = ?", id)?.["at"] ?? 0);
  }

  /** By the name of the login. */
  logins(peer: Peer): ReadonlyMap<string, SentLogin> {
    let known = this.#known.get(peer.id);
    if (known === undefined) {
      const rows = this.#db.all("SELECT sealed FROM sent WHERE peer = ?", peer.id);
      const logins = rows.flatMap(({ sealed }) => open(peer, sealed as Uint8Array) ?? []);
      known = new Map(logins.map((login) => [loginName(login), login]));
      this.#known.set(peer.id, known);
    }
    return known;
  }

  /** What the peer has just acknowledged, all or nothing. A login of which nothing is left is forgotten. */
  commit(peer: Peer, { sequence, base }: Link, logins: readonly SentLogin[]): void {
    const known = new Map(this.logins(peer));
    this.#db.transaction(() => {
      this.#db.run(
        "INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?)",
        peer.id,
        sequence,
        base,
        this.#clock.now(),
      );
      for (const login of logins) {
        const name = loginName(login);
        const hidden = createHmac("sha256", memoryKey(peer)).update(name).digest();
        if (login.cookies.size + login.rows.size === 0 && login.stamp === "") {
          known.delete(name);
          this.#db.run("DELETE FROM sent WHERE peer = ? AND login = ?", peer.id, hidden);
        } else {
          known.set(name, login);
          this.#db.run("INSERT OR REPLACE INTO sent VALUES (?, ?, ?)", peer.id, hidden, seal(peer, login));
        }
      }
    });
    this.#known.set(peer.id, known);
  }

  forget(id: string): void {
    this.#known.delete(id);
    this.#db.transaction(() => {
      this.#db.run("DELETE FROM links WHERE peer = ?", id);
      this.#db.run("DELETE FROM sent WHERE peer = ?", id);
    });
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

export function loginName({ domain, identifier }: { domain: string; identifier: string }): string {
  return `${domain}\0${identifier}`;
}

function memoryKey(peer: Peer): Buffer {
  return Buffer.from(peer.keys.memory, "base64url");
}

function seal(peer: Peer, { cookies, rows, ...rest }: SentLogin): Buffer {
  return sealBox(memoryKey(peer), JSON.stringify({ ...rest, cookies: [...cookies], rows: [...rows] }));
}

/** Undefined for what we did not write: it is then sent again. */
function open(peer: Peer, sealed: Uint8Array): SentLogin | undefined {
  const text = openBox(memoryKey(peer), Buffer.from(sealed));
  if (text === undefined) return undefined;
  const { cookies, rows, ...rest } = JSON.parse(text);
  return { ...rest, cookies: new Map(cookies), rows: new Map(rows) };
}
