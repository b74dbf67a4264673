import { BoundedMap, DeputyError } from "../kernel/index.ts";
import type { CookieProvider } from "./candidate.ts";
import type { CookieLogin } from "./cookie-login.ts";

interface Read {
  readonly stamp: string;
  readonly login: CookieLogin;
  /** What could not be read. */
  readonly problem: string | undefined;
  /** Whose it is, by who said so. */
  readonly owners: Map<string, string>;
  /** The service refused it: not offered again before the browser has something new. */
  refused: boolean;
}

/** What was last read from each provider: a store that has not changed is not read again, nor asked whose it is. */
export class BrowserShelf {
  readonly #read = new BoundedMap<string, Read>(500);

  async read(
    provider: CookieProvider,
    domain: string,
    authority = "",
  ): Promise<Omit<Read, "owners"> & { readonly identifier: string | undefined }> {
    const { owners, ...found } = await this.#readOnce(provider, domain);
    return { ...found, identifier: owners.get(authority) };
  }

  async #readOnce(provider: CookieProvider, domain: string): Promise<Read> {
    const key = `${provider.id}\0${domain}`;
    try {
      const stamp = await provider.stamp();
      const known = this.#read.get(key);
      if (known?.stamp === stamp) return known;
      const { cookies, warnings } = await provider.cookies(domain);
      const problem = warnings.length === 0 ? undefined : warnings.join("; ");
      const fresh = {
        ...unknown,
        owners: new Map<string, string>(),
        stamp,
        login: { cookies, gone: [] },
        problem,
      };
      this.#read.set(key, fresh);
      return fresh;
    } catch (error) {
      // One browser that cannot be read costs that browser, not the call.
      if (!(error instanceof DeputyError)) throw error;
      return { ...unknown, problem: error.message };
    }
  }

  noteOwner(provider: string, domain: string, authority = "", identifier = ""): void {
    this.#read.get(`${provider}\0${domain}`)?.owners.set(authority, identifier);
  }

  noteRefusal(provider: string, domain: string): void {
    const known = this.#read.get(`${provider}\0${domain}`);
    if (known !== undefined) known.refused = true;
  }
}

const unknown: Read = {
  stamp: "",
  login: { cookies: [], gone: [] },
  problem: undefined,
  owners: new Map(),
  refused: false,
};
