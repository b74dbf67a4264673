/**
 * Hosts: the sandboxed processes skill code runs in, one for each run, started blank and thrown away. Code gets there,
 * and its requests get out, as messages on a pipe that belongs to one run.
 * It refuses to know identities, credentials and grants: whoever starts a run binds them to the services it passes in.
 */
export type { CodeJob, CodeOutcome, HostRequest, HostServices } from "./code-job.ts";
export { findPython } from "./find-python.ts";
export { hostLimits } from "./host-limits.ts";
export { HostPool, type HostPoolOptions } from "./host-pool.ts";
export { stripSkillFiles } from "./skill-files.ts";
