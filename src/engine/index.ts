/**
 * The engine as the entries see it: a typed API over a private socket, and the way to find or start the process
 * behind it. What the engine is made of stays behind `main.ts`, so that a command does not load it just to ask.
 * No method's input names a caller: the acceptor of the connection decides who is calling.
 */
export { type Called, type CallOptions, EngineClient } from "./client.ts";
export type { AuthTrace, CookieTrace, HopTrace } from "./browse/browse-methods.ts";
export type { CaptureAnswer, CaptureInput } from "./sessions/capture-methods.ts";
export type { CapabilityRow } from "./skills/capability-methods.ts";
export type { DeliverInput, DeliveryRow, PolicyShown } from "./delivery/deliver-methods.ts";
export type { ResultSchema } from "../graph/index.ts";
export type { LastContact, LastDelivery } from "./delivery/last-results.ts";
export type { GraphMethods } from "./graph/graph-methods.ts";
export type { LogLine } from "./log/log-methods.ts";
export type { LoginDone, LoginPlan } from "./logins/login-methods.ts";
export type { FoundDomain } from "./logins/setup-methods.ts";
export type { SessionActed, SessionAction } from "./sessions/session-act-methods.ts";
export type { SavedRow, SessionOpenInput, SessionRow } from "./sessions/session-methods.ts";
export type { SkillDetails, SkillProblem, SkillReport, SkillRow, SkillTool } from "./skills/skill-methods.ts";
export type { OperationReport, SkillTestReport } from "./skills/skill-test-methods.ts";
export { type NamesOnDisk, namesOnDisk } from "./skills/names-on-disk.ts";
export { findEngine, isCalledByAgent, openEngine, stopEngine } from "./launch.ts";
export type {
  BrowserRow,
  Check,
  EngineStatus,
  GrantRow,
  Methods,
  Progress,
  VaultRow,
  VaultStatus,
} from "./methods.ts";
export type { PeerRow, PushRow } from "./sync/sync-methods.ts";
export { version } from "./version.ts";
