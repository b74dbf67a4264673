/**
 * Who may use what. A grant is the owner's permission for one agent to use one skill (that very code) or built-in with
 * one identity, within limits; nothing is granted by default and no grant reaches further than it says. This folder
 * decides, and keeps the log of what was done; it asks nobody, and does not know how grants, or the log's head, are sealed.
 */
export { ActivityLog } from "./activity-log/activity-log.ts";
export type { LogEntry, LogIdentity } from "./activity-log/log-entry.ts";
export type { LinkedRow, LogFilter, Outcome } from "./activity-log/log-row.ts";
export type { LogSeal, SealedHead } from "./activity-log/log-seal.ts";
export type { Finding } from "./activity-log/verify-chain.ts";
export { isAgentName } from "./agents/agent-name.ts";
export type { Agent } from "./agents/agent-registry.ts";
export { oneName } from "./agents/one-name.ts";
export { type Allowance, parseAllowance } from "./allowance.ts";
export type { Denial, DenialLog } from "./denials.ts";
export { deniedError } from "./denied-error.ts";
export { parseExpiry } from "./expiry.ts";
export {
  BUILT_INS,
  type Grant,
  type GrantIdentity,
  type GrantStore,
  isBuiltIn,
  type NewGrant,
  type Pin,
} from "./grant.ts";
export type { Decision, Denied, GrantRequest, Missing, Needs } from "./grant-request.ts";
export { createGrants, type Grants } from "./grants.ts";
export { coversCaller, samePin } from "./judge.ts";
export { createPolicy, NO_POLICY, type Policy, type PolicyDocument } from "./policy/policy.ts";
export { PolicyFile } from "./policy/policy-file.ts";
