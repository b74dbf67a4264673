import { Session } from "wreq-js";
import { newId } from "../kernel/index.ts";

/**
 * The transport reads bodies of up to 2 MiB before it hands the headers over, and where such a body breaks off the
 * headers are gone: a session that was just rotated with them. Its own cookie store has seen them; one that lives for
 * a single request, empty at its start, gives them back.
 */
export class Salvage implements Disposable {
  readonly #session = new Session(newId("http"), { transportMode: { kind: "custom", emulationJson: "" } });

  get sessionId(): string {
    return this.#session.id;
  }

  /**
   * What arrived, as Set-Cookie headers again. The store keeps neither deletions nor Max-Age, nor whether a cookie of
   * this very host named it: `sharesDomain` says so of those that are known.
   */
  setCookies(host: string, sharesDomain: (name: string) => boolean): string[] {
    return this.#seen().map((cookie) => {
      const parts = [`${cookie.name}=${cookie.value}`, `Path=${cookie.path ?? "/"}`];
      const domain = cookie.domain ?? host;
      if (domain !== host || sharesDomain(cookie.name)) parts.push(`Domain=${domain}`);
      if (cookie.secure) parts.push("Secure");
      if (cookie.httpOnly) parts.push("HttpOnly");
      if (cookie.sameSite !== undefined) parts.push(`SameSite=${cookie.sameSite}`);
      if (cookie.expiresAtMs !== undefined)
        parts.push(`Expires=${new Date(cookie.expiresAtMs).toUTCString()}`);
      return parts.join("; ");
    });
  }

  #seen(): ReturnType<Session["getAllCookies"]> {
    try {
      return this.#session.getAllCookies();
    } catch {
      // It is made when the request is: there may have been none.
      return [];
    }
  }

  [Symbol.dispose](): void {
    this.#session.close().catch(() => undefined);
  }
}
