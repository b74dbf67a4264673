import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { DeputyError } from "../../../kernel/index.ts";

/** Which client a token is for; of the token itself only a hash is kept. */
interface Entry {
  readonly client: string;
  readonly hash: string;
  readonly created: string;
}

const PREFIX = "deputy_";

/**
 * Who may come in over HTTP. A token is made for one client and is its name's proof. It is shown once; the file holds what it
 * hashes to, which for 256 random bits is as good as a slow hash. Other processes may change the file at any time.
 */
export class ClientTokens {
  readonly #path: string;
  readonly #write: (path: string, text: string) => void;
  #seen: { readonly stamp: string; readonly entries: readonly Entry[] } | undefined;

  constructor(path: string, write: (path: string, text: string) => void) {
    this.#path = path;
    this.#write = write;
  }

  clients(): string[] {
    return this.#entries().map(({ client }) => client);
  }

  /** A new token for this client; the one it had ends. */
  create(client: string): string {
    const token = `${PREFIX}${randomBytes(32).toString("base64url")}`;
    const created = new Date().toISOString();
    this.#save([...this.#others(client), { client, hash: hashOf(token).toString("hex"), created }]);
    return token;
  }

  remove(client: string): boolean {
    const others = this.#others(client);
    if (others.length === this.#entries().length) return false;
    this.#save(others);
    return true;
  }

  /** Whose token it is. */
  find(token: string): string | undefined {
    const hash = hashOf(token);
    return this.#entries().find((entry) => {
      const kept = Buffer.from(entry.hash, "hex");
      return kept.length === hash.length && timingSafeEqual(kept, hash);
    })?.client;
  }

  #others(client: string): Entry[] {
    return this.#entries().filter((entry) => entry.client !== client);
  }

  #entries(): readonly Entry[] {
    const stamp = stampOf(this.#path);
    if (this.#seen?.stamp !== stamp) this.#seen = { stamp, entries: stamp === "" ? [] : read(this.#path) };
    return this.#seen.entries;
  }

  #save(tokens: readonly Entry[]): void {
    this.#write(this.#path, `${JSON.stringify({ tokens }, null, 2)}\n`);
    this.#seen = undefined;
  }
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Empty where there is no file. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.mtimeMs} ${stat.ino} ${stat.size}`;
}

function read(path: string): Entry[] {
  try {
    const { tokens } = JSON.parse(readFileSync(path, "utf8")) as { tokens: Entry[] };
    if (tokens.every(({ client, hash }) => typeof client === "string" && typeof hash === "string"))
      return tokens;
  } catch {} // told below, like every other way it can be wrong
  throw new DeputyError("BAD_CONFIG", `Cannot read ${path}: it does not list tokens`, {
    hint: "Remove it; clients that come in over HTTP then need new tokens.",
  });
}
