/**
 * Hosts: the sandboxed processes skill code runs in, one for each run, started blank and thrown away. Code gets there,
 * and its requests get out, as messages on a pipe that belongs to one run.
 * It refuses to know identities, credentials and grants: whoever starts a run binds them to the services it passes in.
 */
export type {
  CodeJob,
  CodeOutcome,
  HostCommand,
  HostCommandResult,
  HostDress,
  HostProgress,
  HostQuery,
  HostRequest,
  HostResponse,
  HostServices,
  LogLevel,
  RunInput,
} from "./code-job.ts";
export { findPython, type PythonInstallation } from "./find-python.ts";
export { type HostLimits, hostLimits } from "./host-limits.ts";
export { HostPool, type HostPoolOptions } from "./host-pool.ts";
export { hashFiles, type SkillFiles, stripSkillFiles } from "./skill-files.ts";
