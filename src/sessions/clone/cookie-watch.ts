import { type Cookie, type CookieChange, cookieKey } from "../../cookies/index.ts";

/** What became of a session's cookies since it was last looked at. */
export class CookieWatch {
  readonly #cloned: ReadonlyMap<string, Cookie>;
  #last: ReadonlyMap<string, Cookie>;

  constructor(cloned: readonly Cookie[]) {
    this.#cloned = byKey(cloned);
    this.#last = this.#cloned;
  }

  /** The protocol does not tell when a cookie was set: the time it was first seen stands for it. */
  changes(now: readonly Cookie[], at: number): CookieChange[] {
    const current = byKey(now);
    const set = now.filter((cookie) => !isSame(this.#last.get(cookieKey(cookie)), cookie));
    const gone = [...this.#last].filter(([key]) => !current.has(key)).map(([, cookie]) => cookie);
    this.#last = current;
    return [
      ...set.map((cookie) => ({ kind: "set", cookie: { ...cookie, updated: at } }) as const),
      ...gone.map(({ name, domain, hostOnly, path, partitionKey }) => {
        return { kind: "delete", at, name, domain, hostOnly, path, partitionKey } as const;
      }),
    ];
  }

  /** Cookies no script may read that have another value than was cloned: a service renewed them. */
  renewed(): Cookie[] {
    return [...this.#last.values()].filter((cookie) => {
      const before = this.#cloned.get(cookieKey(cookie));
      return cookie.httpOnly && before !== undefined && before.value !== cookie.value;
    });
  }

  /** Whether it was cloned with the same value of this cookie as another. */
  sharesWith(other: CookieWatch, cookie: Cookie): boolean {
    const key = cookieKey(cookie);
    const value = this.#cloned.get(key)?.value;
    return value !== undefined && value === other.#cloned.get(key)?.value;
  }
}

function byKey(cookies: readonly Cookie[]): ReadonlyMap<string, Cookie> {
  return new Map(cookies.map((cookie) => [cookieKey(cookie), cookie]));
}

function isSame(before: Cookie | undefined, now: Cookie): boolean {
  return before !== undefined && before.value === now.value && before.expires === now.expires;
}
