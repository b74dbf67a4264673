/** Who is calling. Set by the acceptor of a connection, never by a message on it. */
export interface Caller {
  readonly kind: "owner" | "agent";
  /** The agent's name; `owner` for the owner. */
  readonly agent: string;
  /** As the agent says it. */
  readonly version?: string;
  /** One running copy of that agent: one connection. */
  readonly instance: string;
  readonly via: "cli" | "mcp" | "dashboard";
  readonly pid?: number;
}
