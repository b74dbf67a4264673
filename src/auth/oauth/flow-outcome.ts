import type { Tokens } from "./token-answer.ts";

/** How a login by a person ended. `denied`: they, or the service, said no; `dead`: it took too long or was done twice. */
export type FlowOutcome =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  | { readonly kind: "denied" | "dead" | "expired"; readonly reason: string };
