import type { Run, RunContext, ShellResult } from "../../sdk.ts";
import type { Connection } from "./connection.ts";
import { createHttp } from "./http.ts";
import { bytesOf, type WireBody } from "./response.ts";

/** The one argument of a skill's function. */
export function createRun(connection: Connection, context: RunContext): Run {
  const shelf = (name: string) => ({
    get: (key: string) => connection.request(`${name}.get`, { key }) as Promise<never>,
    set: async (key: string, value: unknown) => {
      await connection.request(`${name}.set`, { key, value: value ?? null });
    },
  });
  const log = (level: string) => (text: unknown) => connection.note("log", { level, text: String(text) });
  return {
    ...context,
    http: createHttp(connection),
    sql: {
      query: (query, options = {}) => connection.request("sql", { ...options, query }) as Promise<never>,
    },
    shell: {
      run: (binary, args = [], options = {}) =>
        connection.request("shell", { ...options, binary, args }) as Promise<ShellResult>,
    },
    call: (operation, params = {}) => connection.request("call", { operation, params }) as Promise<never>,
    cache: shelf("cache"),
    data: shelf("data"),
    secrets: {
      store: async (secret) => {
        await connection.request("secrets.store", secret);
      },
    },
    keychain: {
      read: async (service, account) => {
        const item = { service, ...(account === undefined ? {} : { account }) };
        return bytesOf((await connection.request("keychain", item)) as WireBody);
      },
    },
    log: Object.assign(log("info"), {
      debug: log("debug"),
      info: log("info"),
      warn: log("warn"),
      error: log("error"),
    }),
    progress: (step) => connection.note("progress", typeof step === "string" ? { message: step } : step),
  };
}
