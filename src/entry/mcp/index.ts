/**
 * MCP: Deputy for agents, over stdio or HTTP on this machine. Every connection is an agent's and every call goes to the one
 * engine, which decides; nothing here holds, returns or lists a secret, and no answer of a client permits anything.
 */
export { createMcp, type MachineParts, type Mcp } from "./create-mcp.ts";
