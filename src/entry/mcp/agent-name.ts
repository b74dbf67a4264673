/** A client as it introduced itself. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
}

const LONGEST = 64;
const UNNAMED = "mcp-client";

/**
 * The agent a client is: grants name it, so spelling must not matter and nobody may be called like the owner. What a client
 * says of itself is a name, not a proof; over HTTP its token decides instead.
 */
export function agentName(said: string): string {
  const tidy = said
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[-._]+|[-._]+$/g, "")
    .slice(0, LONGEST)
    .replace(/[-._]+$/, "");
  if (tidy === "") return UNNAMED;
  return tidy === "owner" ? "owner-client" : tidy;
}
