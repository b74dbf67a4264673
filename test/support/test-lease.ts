/** Leases and the http module as a test needs them: real, with names that lead to loopback. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CookieChange, Jar } from "../../src/cookies/index.ts";
import {
  createHttp,
  type Http,
  type HttpOptions,
  type Lease,
  type OutRequest,
  type PoolOptions,
  TransportPool,
} from "../../src/http/index.ts";
import { systemClock } from "../../src/kernel/index.ts";

export interface TestLease extends Lease {
  readonly jar: Jar | null;
  /** What onJarChange was told, in order. */
  readonly told: CookieChange[];
}

export function testLease(of: Partial<Lease> & { base?: string } = {}): TestLease {
  const told: CookieChange[] = [];
  const { base, ...given } = of;
  const baseUrl = base === undefined ? null : new URL(base);
  return {
    identity: { domain: "bank.test", identifier: "ann" },
    mode: "browser",
    baseUrl,
    jar: new Jar(),
    credential: null,
    egress: { domain: "bank.test", hosts: [] },
    secrets: [],
    onJarChange: (changes) => void told.push(...changes),
    ...given,
    told,
  };
}

export interface TestHttp extends Http, AsyncDisposable {
  /** The file of the certificate it trusts. */
  readonly roots: string;
  readonly pool: TransportPool;
}

/** Every name of `names` leads to this machine, as an owner's config could say. */
export function testHttp(
  names: readonly string[],
  options: Partial<HttpOptions> & { cert?: string; poolOptions?: PoolOptions } = {},
): TestHttp {
  const { cert, poolOptions, ...rest } = options;
  const folder = mkdtempSync(join(tmpdir(), "deputy-http-"));
  const roots = join(folder, "roots.pem");
  if (cert !== undefined) writeFileSync(roots, cert);
  const pool = new TransportPool({ ...poolOptions, ...(cert === undefined ? {} : { roots }) });
  const http = createHttp({
    pool,
    clock: systemClock,
    resolveAddresses: async () => [],
    overrides: Object.fromEntries(names.map((name) => [name, ["127.0.0.1"]])),
    ...rest,
  });
  return {
    ...http,
    roots,
    pool,
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function get(url: string, more: Partial<OutRequest> = {}): OutRequest {
  return { method: "GET", url, headers: [], ...more };
}

/** A jar seeded with what a browser would have after these headers came from `url`. */
export function jarWith(url: string, ...headers: string[]): Jar {
  const browser = new Jar();
  for (const header of headers) browser.set(header, url);
  return new Jar({ cookies: browser.all() });
}
