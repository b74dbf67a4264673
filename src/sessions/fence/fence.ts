/** A proxy on loopback that lets one session reach the hosts its owner named, and nothing else. */
export interface Fence extends AsyncDisposable {
  /** For `proxyServer` of `Target.createBrowserContext`. */
  readonly proxy: string;
}

export interface FenceOptions {
  /** Hosts; each stands for its subdomains too. */
  readonly allow: readonly string[];
  /** Names to addresses of the owner's choosing. */
  readonly resolve: ReadonlyMap<string, readonly string[]>;
  /** The owner's own proxy, which comes after this one. */
  readonly upstream: string | undefined;
}
