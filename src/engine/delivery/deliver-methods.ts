import type { WireError } from "../../kernel/index.ts";

export interface DeliveryRow {
  readonly surface: string;
  readonly target: string;
  readonly delivered: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly refused: readonly { readonly name: string; readonly domain: string; readonly reason: string }[];
  /** How many of the refused wait for a browser to exit. */
  readonly queued?: number;
  readonly error?: WireError;
}

export interface PolicyShown {
  readonly path: string;
  readonly mode: "blocklist" | "allowlist";
  readonly allow: readonly string[];
  readonly block: readonly string[];
  readonly peers: Readonly<
    Record<
      string,
      { readonly mode: string; readonly allow: readonly string[]; readonly block: readonly string[] }
    >
  >;
}

export interface DeliverInput {
  /** One surface, enabled or not: naming it is the owner's word. Default: those config.yaml enables. */
  readonly surface?: "chromium" | "sidecar" | "files" | "live";
  /** For `chromium`: the profile's name or folder. */
  readonly profile?: string;
  /** For `live`: where the browser listens. */
  readonly endpoint?: string;
  readonly domains?: readonly string[];
  /** Where a domain has several accounts. */
  readonly account?: string;
  readonly device_bound?: boolean;
  readonly restart_browser?: boolean;
}

export interface DeliverMethods {
  deliver: { in: DeliverInput; out: { readonly surfaces: readonly DeliveryRow[] } };
  /** Goes on until it is cancelled; each round is told as progress. */
  "deliver.watch": { in: DeliverInput; out: { readonly rounds: number } };
  "policy.show": { in: Record<string, never>; out: PolicyShown };
  "policy.set": {
    in: { readonly list: "allow" | "block"; readonly pattern: string; readonly only?: boolean };
    out: PolicyShown;
  };
}
