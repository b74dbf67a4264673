import { type Clock, DeputyError } from "../kernel/index.ts";
import { addressClass } from "./address-class.ts";

export type ResolveAddresses = (host: string) => Promise<readonly string[]>;

interface Entry {
  readonly addresses: readonly string[];
  readonly until: number;
}

const FRESH_MS = 30_000;
const MOST = 512;

/**
 * Names to addresses that were looked at: whoever connects must use exactly these, or a name could answer differently
 * the second time it is asked (DNS rebinding).
 */
export class AddressBook {
  readonly #resolve: ResolveAddresses;
  readonly #overrides: Readonly<Record<string, readonly string[]>>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(options: {
    resolve: ResolveAddresses;
    /** The owner's own answers, from config.yaml; they may name any address. */
    overrides: Readonly<Record<string, readonly string[]>>;
    clock: Clock;
  }) {
    this.#resolve = options.resolve;
    this.#overrides = options.overrides;
    this.#clock = options.clock;
  }

  /** `named`: base_url names this very host, so that a literal or `localhost` is what its author meant. */
  async addressesOf(host: string, named: boolean): Promise<readonly string[]> {
    const override = Object.hasOwn(this.#overrides, host) ? this.#overrides[host] : undefined;
    if (override !== undefined) return override;
    const literal = literalAddress(host);
    if (literal !== undefined) {
      if (!named && addressClass(literal) !== "public") throw closed(host);
      return [literal];
    }
    const known = this.#entries.get(host);
    const addresses =
      known !== undefined && known.until > this.#clock.now() ? known.addresses : await this.#ask(host);
    const local = named && isLocalName(host);
    // One bad answer among good ones is a rebinding attempt, not an alternative.
    if (!addresses.every((address) => addressClass(address) === (local ? "loopback" : "public")))
      throw closed(host);
    return addresses;
  }

  /** After a failure to connect: the name may have moved. */
  forget(host: string): void {
    this.#entries.delete(host);
  }

  async #ask(host: string): Promise<readonly string[]> {
    const found = await this.#resolve(host);
    if (found.length === 0) {
      throw new DeputyError("NETWORK_FAILED", `Cannot find ${host}: it has no address`, {
        hint: "Check how the name is written.",
      });
    }
    const addresses = [...new Set(found)].sort();
    const oldest = this.#entries.keys().next();
    if (this.#entries.size >= MOST && oldest.done !== true) this.#entries.delete(oldest.value);
    this.#entries.set(host, { addresses, until: this.#clock.now() + FRESH_MS });
    return addresses;
  }
}

/** A canonical URL host that is an address; the URL standard has made `0x7f.1` and `2130706433` into one already. */
function literalAddress(host: string): string | undefined {
  if (host.startsWith("[")) return host.slice(1, -1);
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? host : undefined;
}

/** RFC 6761 6.3: "localhost." and names below it are this machine. */
function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

function closed(host: string): DeputyError {
  return new DeputyError("DENIED", `Cannot contact ${host}: its address is not on the open Internet`, {
    hint: "Name the address in base_url, or give the host one under `resolve:` in config.yaml",
  });
}
