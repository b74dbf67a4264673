import { join } from "node:path";
import type { Unlabelled } from "../cookies/index.ts";
import type { Clock } from "../kernel/index.ts";
import { databaseStamp } from "../platform/index.ts";
import type { CookieReader } from "./cookie-reader.ts";
import { firefoxRows, MOST_ROWS } from "./firefox-rows.ts";
import { readSessionCookies, sessionFiles } from "./firefox-session.ts";
import { isWanted, rowFilter } from "./host-keys.ts";
import { labelled } from "./label.ts";
import { askStore } from "./ask-store.ts";
import type { OriginAttributes } from "./origin-attributes.ts";
import { summaryOf } from "./summary-of.ts";
import { cookieWarning, type ReadWarning, storeWarning } from "./warning.ts";

interface FirefoxReaderOptions {
  /** The profile's folder. */
  readonly path: string;
  /** Whose cookies: each container is an identity of its own. Absent: the default one. */
  readonly container?: number;
  readonly clock: Clock;
}

export function createFirefoxReader({ path, container = 0, clock }: FirefoxReaderOptions): CookieReader {
  const store = join(path, "cookies.sqlite");
  const isOurs = (attributes: OriginAttributes) =>
    attributes.container === container && !attributes.isPrivate;

  const reader: CookieReader = {
    async stamp() {
      return [databaseStamp(store), ...sessionFiles(path).map(({ stamp }) => stamp)].join(" ");
    },

    summary: async () => summaryOf(await reader.read(), clock.now()),

    async read(query = {}) {
      const filter = rowFilter(query);
      const warnings: ReadWarning[] = [];
      const cookies: Unlabelled[] = [];

      const answer = await askStore(store, (db) => firefoxRows(db, filter));
      if (answer.kind === "unreadable") warnings.push(answer.warning);
      else {
        const rows = answer.value.filter(({ attributes }) => isOurs(attributes));
        const malformed = rows.filter(({ cookie }) => cookie === undefined);
        cookies.push(...rows.flatMap(({ cookie }) => cookie ?? []));
        if (malformed.length > 0) warnings.push(cookieWarning("MALFORMED", malformed));
        if (answer.value.length === MOST_ROWS) warnings.push(storeWarning("STORE_TRUNCATED", store));
      }

      const session = readSessionCookies(path);
      if (session.kind === "unreadable")
        warnings.push(storeWarning("SESSION_STORE_UNREADABLE", session.path));
      if (session.kind === "read")
        for (const { hostKey, attributes, cookie } of session.cookies)
          if (isOurs(attributes) && isWanted(filter, hostKey)) cookies.push(cookie);

      const labels = labelled(cookies, { now: clock.now() });
      return { cookies: labels.cookies, warnings: [...warnings, ...labels.warnings] };
    },
  };
  return reader;
}
