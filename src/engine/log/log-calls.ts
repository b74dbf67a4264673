import { type ActivityLog, type Agent, type LinkedRow, type LogFilter, oneName } from "../../access/index.ts";
import { type Caller, DeputyError } from "../../kernel/index.ts";
import type { AgentRow, LogLine, LogMethods } from "./log-methods.ts";
import type { Calls } from "../methods.ts";
import { isOwner } from "../permissions.ts";

export function createLogCalls(log: ActivityLog): Calls<keyof LogMethods> {
  return {
    "log.read": async (input, { caller }) => log.latest(input.limit, filterFor(input, caller)).map(asLine),

    "log.follow": async (input, { caller, signal, progress }) => {
      const filter = filterFor(input, caller);
      let followed = 0;
      const show = (row: LinkedRow) => {
        if (!matches(row, filter)) return;
        followed += 1;
        progress({ message: "log", line: asLine(row) });
      };
      using _following = log.subscribe(show);
      log.latest(input.limit, filter).forEach(show);
      if (!signal.aborted)
        await new Promise((done) => signal.addEventListener("abort", done, { once: true }));
      return { followed };
    },

    "log.restart": async () => ({ aside: await log.restart() }),

    "agents.list": async () => log.agents().map(asAgentRow),
  };
}

/** What others did is the owner's to know. */
function filterFor({ agent: said, skill }: { agent?: string; skill?: string }, caller: Caller): LogFilter {
  const agent = said === undefined ? undefined : oneName(said);
  if (isOwner(caller)) return { agent, subject: skill };
  if (agent === undefined || agent === caller.agent) return { agent: caller.agent, subject: skill };
  throw new DeputyError("DENIED", "An agent sees what it did itself", {
    hint: "The owner sees all of the log, in a terminal of their own: deputy log",
  });
}

function matches(row: LinkedRow, { agent, subject }: LogFilter): boolean {
  return (agent === undefined || row.agent === agent) && (subject === undefined || row.subject === subject);
}

function asLine(row: LinkedRow): LogLine {
  const { id, agent, instance, via, domain, account } = row;
  return {
    id,
    at: new Date(row.at).toISOString(),
    agent,
    instance,
    via,
    skill: row.subject,
    operation: row.operation,
    identity: domain === null || account === null ? domain : `${domain}/${account}`,
    hosts: row.hosts,
    methods: row.methods,
    status: row.status,
    bytes: row.bytes,
    outcome: row.outcome,
    code: row.code,
    duration_ms: Math.round(row.durationUs / 100) / 10,
    hash: row.hash.toString("hex"),
  };
}

function asAgentRow({ name, kind, version, via, firstSeen, lastSeen, instances }: Agent): AgentRow {
  const [first_seen, last_seen] = [new Date(firstSeen).toISOString(), new Date(lastSeen).toISOString()];
  return { name, kind, version, via, first_seen, last_seen, instances };
}
