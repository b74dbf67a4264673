import { DeputyError } from "../../kernel/index.ts";
import type { ExecutorParts } from "../executors/executor-parts.ts";
import { readPassword } from "../executors/keychain.ts";
import { query } from "../executors/sql.ts";
import { startCommand } from "../executors/start-command.ts";
import { stoppedError } from "../executors/stopped-error.ts";
import type { HostServices } from "../hosts/code-job.ts";
import type { Frame } from "./execute-run.ts";
import type { Execution } from "./execution.ts";
import type { Handles } from "./handles.ts";
import { serveHttp } from "./serve-http.ts";
import type { Shelf, SkillState } from "./skill-state.ts";

interface Parts {
  readonly frame: Frame;
  readonly execution: Execution;
  readonly handles: Handles;
  readonly state: SkillState;
  readonly store: (secret: unknown) => Promise<void>;
  readonly executors: ExecutorParts;
}

/** What one run's code may ask for. Its identity is in here, and in no message. */
export function createHostServices(parts: Parts): HostServices {
  const { frame, execution, handles, state, executors } = parts;
  const { skill, request } = frame;
  const { loan } = execution;
  const identity = loan?.identity ?? null;
  const shelf = (name: Shelf) => ({
    get: async (key: string) => state.get(name, skill, identity, key),
    set: async (key: string, value: unknown) => state.merge(name, skill, identity, { [key]: value }),
  });
  const cache = shelf("cache");
  const data = shelf("data");
  return {
    async http(asked, signal) {
      if (loan === null)
        throw new DeputyError("DENIED", `${skill.id} has no connection to send a request with`, {
          hint: "Its manifest says which service it reaches: connections, and connection in the operation.",
        });
      return serveHttp(asked, { loan, handles, signal });
    },
    async sql({ query: text, db, params = {}, attach = {}, write = false }, signal) {
      const database = db ?? execution.connection?.sqlite;
      if (typeof database !== "string")
        throw new DeputyError("BAD_INPUT", "Which file? Neither the query nor the connection names one", {
          hint: "Give db with the query, or sqlite in the connection.",
        });
      const answer = await query(
        { query: text, params, database, attach, write },
        { ...execution, signal },
        executors,
      );
      return (Array.isArray(answer) ? answer : [answer]) as Record<string, unknown>[];
    },
    async shell({ binary, args, cwd, input = "", timeoutMs }, signal) {
      const command = {
        binary,
        args,
        code: null,
        stdin: input,
        workingDir: cwd ?? null,
        read: [],
        write: [],
      };
      const patience = timeoutMs === undefined ? undefined : AbortSignal.timeout(Math.ceil(timeoutMs));
      const either = patience === undefined ? signal : AbortSignal.any([signal, patience]);
      const ran = await startCommand(command, { ...execution, signal: either }, executors);
      const { stdout, stderr, exit } = ran;
      if (exit.stopped === "cancelled" && patience?.aborted === true && !signal.aborted)
        throw stoppedError(`${skill.id}: ${binary}`, { ...exit, stopped: "wall" });
      return { status: exit.status, stdout: stdout.toString(), stderr: stderr.toString() };
    },
    async keychain({ service, account }) {
      return Buffer.from(await readPassword({ service, account: account ?? null }, execution, executors.env));
    },
    call: frame.call,
    cacheGet: cache.get,
    cacheSet: cache.set,
    dataGet: data.get,
    dataSet: data.set,
    storeSecret: parts.store,
    log: (level, text) => {
      if (level === "warn" || level === "error") execution.warn(text.slice(0, 500));
    },
    progress: ({ current, total, message = "" }) =>
      request.progress?.({
        message: message.slice(0, 200),
        ...(current === undefined ? {} : { done: current }),
        ...(total === undefined ? {} : { total }),
      }),
  };
}
