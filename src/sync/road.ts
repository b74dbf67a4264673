import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { lookup as systemLookup } from "node:dns";
import { createSecureContext, rootCertificates } from "node:tls";
import { DeputyError } from "../kernel/index.ts";

/** How peers are reached other than the usual way. */
export interface Road {
  readonly agent: Agent | undefined;
  readonly lookup: LookupFunction;
}

interface RoadOptions {
  /** A PEM file of roots to trust beside the usual ones: that of the owner's own authority. */
  readonly roots?: string | undefined;
  /** Names to addresses of the owner's choosing. */
  readonly overrides?: Readonly<Record<string, readonly string[]>>;
}

export function createRoad({ roots, overrides = {} }: RoadOptions): Road & Disposable {
  let agent: Agent | undefined;
  return {
    /** Made when it is needed: roots that cannot be read stop nothing else. */
    get agent() {
      agent ??= roots === undefined ? undefined : agentTrusting(roots);
      return agent;
    },
    lookup(host, options, done) {
      const name = host.toLowerCase();
      const [address, ...more] = (Object.hasOwn(overrides, name) ? overrides[name] : undefined) ?? [];
      if (address === undefined) return systemLookup(host, options, done);
      const all = [address, ...more].map((one) => ({ address: one, family: isIP(one) }));
      return options.all === true ? done(null, all) : done(null, address, isIP(address));
    },
    [Symbol.dispose]: () => agent?.destroy(),
  };
}

function agentTrusting(path: string): Agent {
  try {
    const secureContext = createSecureContext({ ca: [...rootCertificates, readFileSync(path, "utf8")] });
    return new Agent({ keepAlive: true, secureContext });
  } catch (cause) {
    throw new DeputyError("BAD_CONFIG", `Cannot use the roots in ${path}`, {
      hint: "roots: in config.yaml names a PEM file of certificates.",
      cause,
    });
  }
}
