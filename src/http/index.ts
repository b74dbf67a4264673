/**
 * The one door to the network: sends a run's request with what its lease lends, and nothing else. It owns the
 * transport, the browsers' headers, redirects, cookies on the way, and where each byte of a credential may go. It
 * refuses hosts and addresses a lease does not cover, knows no vault and no login, and lets no request name an identity.
 */
export type { ResolveAddresses } from "./address-book.ts";
export { createHttp, type Http, type HttpOptions } from "./create-http.ts";
export { headers, type Knobs } from "./header-knobs.ts";
export type { HeaderPair, Hop } from "./hop.ts";
export type { InResponse } from "./in-response.ts";
export type { Credential, Lease, Mode } from "./lease.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { Mask } from "./mask.ts";
export type { OutRequest } from "./out-request.ts";
export type { ProfileName } from "./profile.ts";
export { readBytes, readJson, readText } from "./read-body.ts";
export { systemAddresses } from "./system-addresses.ts";
export { targetUrl } from "./target-url.ts";
export type { Trace, TracedHop } from "./trace.ts";
export { type PoolOptions, TransportPool } from "./transport-pool.ts";
export type { Watch } from "./watch.ts";
