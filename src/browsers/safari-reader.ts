import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import type { Unlabelled } from "../cookies/index.ts";
import type { Clock } from "../kernel/index.ts";
import { type BinaryCookie, parseBinaryCookies } from "./binary-cookies.ts";
import type { CookieReader } from "./cookie-reader.ts";
import { isWanted, rowFilter } from "./host-keys.ts";
import { labelled } from "./label.ts";
import { findSmallFile } from "./small-file.ts";
import { summaryOf } from "./summary-of.ts";
import { type ReadWarning, storeWarning, warningCodes } from "./warning.ts";

interface SafariReaderOptions {
  /** The folder that holds Cookies.binarycookies. */
  readonly path: string;
  readonly clock: Clock;
}

/**
 * Safari rewrites its file whole and renames it into place, so a read sees one state of it. SameSite, partitions
 * and the port are not in the known part of the format.
 */
export function createSafariReader({ path, clock }: SafariReaderOptions): CookieReader {
  const file = join(path, "Cookies.binarycookies");

  const reader: CookieReader = {
    async stamp() {
      const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? "-" : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
    },

    summary: async () => summaryOf(await reader.read(), clock.now()),

    async read(query = {}) {
      const filter = rowFilter(query);
      const bytes = findSmallFile(file);
      if (bytes === undefined) return { cookies: [], warnings: [whyNot(file)] };
      const parsed = parseBinaryCookies(bytes);
      bytes.fill(0);
      if (parsed === undefined) return { cookies: [], warnings: [storeWarning("STORE_DAMAGED", file)] };
      const warnings: ReadWarning[] = [];
      const { malformed } = parsed;
      if (malformed > 0)
        warnings.push({
          code: "MALFORMED",
          message: `${malformed}: ${warningCodes.MALFORMED}`,
          count: malformed,
        });
      const wanted = parsed.cookies.filter(({ host }) => isWanted(filter, host.toLowerCase()));
      const labels = labelled(wanted.map(unlabelled).sort(byCreation), { now: clock.now() });
      return { cookies: labels.cookies, warnings: [...warnings, ...labels.warnings] };
    },
  };
  return reader;
}

function unlabelled({ host, ...cookie }: BinaryCookie): Unlabelled {
  const hostOnly = !host.startsWith(".");
  return {
    ...cookie,
    domain: (hostOnly ? host : host.slice(1)).toLowerCase(),
    hostOnly,
    sameSite: "unset",
    partitionKey: null,
    sourceScheme: "unset",
    sourcePort: -1,
    priority: "medium",
    updated: cookie.created,
  };
}

function byCreation(a: Unlabelled, b: Unlabelled): number {
  return a.created - b.created;
}

function whyNot(file: string): ReadWarning {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return storeWarning("STORE_MISSING", file);
  try {
    accessSync(file, constants.R_OK);
    return storeWarning(stat.isFile() ? "STORE_TOO_LARGE" : "STORE_DENIED", file);
  } catch {
    // macOS guards the file beyond its mode.
    return storeWarning("STORE_DENIED", file, "give your terminal Full Disk Access in System Settings");
  }
}
