import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type BoundCookie,
  chromiumStorePath,
  createChromiumStore,
  type KeyPlace,
  type FoundKeys,
  type RowProblem,
  readBoundCookies,
  readCookies,
  readOutlines,
  type SafeStorage,
  sealPrefixes,
  selectRows,
} from "../chromium/index.ts";
import type { Clock } from "../kernel/index.ts";
import { databaseStamp } from "../platform/index.ts";
import type { CookieReader, ReadResult } from "./cookie-reader.ts";
import { hostCounts } from "./host-counts.ts";
import { rowFilter } from "./host-keys.ts";
import { labelled } from "./label.ts";
import { askStore } from "./ask-store.ts";
import { cookieWarning, type ReadWarning, storeWarning } from "./warning.ts";

interface ChromiumReaderOptions {
  /** The profile's folder. */
  readonly path: string;
  readonly keyPlace: KeyPlace;
  readonly safeStorage: SafeStorage;
  readonly clock: Clock;
  /** Whether asking for the key shows the owner a question, so that a summary does not ask. */
  readonly keyNeedsOwner: boolean;
}

export function createChromiumReader(options: ChromiumReaderOptions): CookieReader {
  const { safeStorage, keyPlace, clock } = options;
  const store = () => chromiumStorePath(options.path);
  const boundStore = () => join(dirname(store()), "Device Bound Sessions");

  async function boundCookies(): Promise<BoundCookie[]> {
    if (!existsSync(boundStore())) return [];
    const answer = await askStore(boundStore(), readBoundCookies);
    // Where it cannot be read, the names `classify` knows must do.
    return answer.kind === "read" ? answer.value : [];
  }

  return {
    async stamp() {
      return `${databaseStamp(store())} ${databaseStamp(boundStore())}`;
    },

    async summary() {
      const answer = await askStore(store(), (db) => selectRows(db));
      if (answer.kind === "unreadable") {
        const readable = answer.warning.code === "STORE_MISSING";
        return { cookies: 0, hosts: [], readable, warnings: readable ? [] : [answer.warning] };
      }
      const { rows, version } = answer.value;
      const prefixes = sealPrefixes(rows);
      const found = options.keyNeedsOwner ? undefined : await safeStorage.keysFor(keyPlace, prefixes);
      const known = createChromiumStore({ version, keys: found?.keys ?? {} });
      const { cookies, problems } = readCookies(rows, known);
      const told = found === undefined ? problems.filter(({ code }) => code !== "NO_KEY") : problems;
      const readable = rows.length === 0 || cookies.length > 0 || told.length < problems.length;
      const hosts = hostCounts(readOutlines(rows), clock.now());
      return { cookies: rows.length, hosts, readable, warnings: describe(told, found) };
    },

    async read(query = {}): Promise<ReadResult> {
      const filter = rowFilter(query);
      const answer = await askStore(store(), (db) => selectRows(db, filter));
      if (answer.kind === "unreadable") return { cookies: [], warnings: [answer.warning] };
      const { rows, version, truncated } = answer.value;
      if (rows.length === 0) return { cookies: [], warnings: [] };
      const found = await safeStorage.keysFor(keyPlace, sealPrefixes(rows));
      const { cookies, problems } = readCookies(rows, createChromiumStore({ version, keys: found.keys }));
      const labels = labelled(cookies, { now: clock.now(), bound: await boundCookies() });
      const warnings = [...describe(problems, found), ...labels.warnings];
      if (truncated) warnings.push(storeWarning("STORE_TRUNCATED", store()));
      return { cookies: labels.cookies, warnings };
    },
  };
}

function describe(problems: readonly RowProblem[], found: FoundKeys | undefined): ReadWarning[] {
  const byCode = Map.groupBy(problems, ({ code }) => code);
  return [...byCode].map(([code, cookies]) => {
    const [keyProblem] = found?.problems ?? [];
    if (code !== "NO_KEY" || keyProblem === undefined) return cookieWarning(code, cookies);
    return cookieWarning(keyProblem.code, cookies, keyProblem.reason);
  });
}
