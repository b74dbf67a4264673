/**
 * Skills: folders that say what agents can do. Manifests are read, every expression in them compiled, and what they
 * take from callers checked here, before any of their code runs.
 * Loading a skill runs nothing of it, follows no link out of its folder, and a broken one costs only itself.
 */
export type * from "./executor.ts";
export { type CapabilityProvider, capabilitiesOf, route, type Standing } from "./capabilities.ts";
export { type Cassette, readCassette, writeCassette } from "./cassette/cassette.ts";
export { createPassingState } from "./cassette/passing-state.ts";
export { recordingLender } from "./cassette/record.ts";
export { replayingLender } from "./cassette/replay.ts";
export { replayGrants } from "./cassette/replay-grants.ts";
export { Tape } from "./cassette/tape.ts";
export { createSyntaxReader, type SyntaxReader } from "./decorated/index.ts";
export { type AddedSkill, type LibraryEntry, SkillLibrary } from "./library/skill-library.ts";
export { AddedSkills } from "./library/added-skills.ts";
export { type LoadedSkill, loadSkill } from "./library/load-skill.ts";
export { readPinned } from "./library/skill-folder.ts";
export { manifestJsonSchema } from "./manifest/known-keys.ts";
export { loginHosts } from "./login-hosts.ts";
export { newSkill } from "./new-skill.ts";
export { coerceParams } from "./params.ts";
export { describeProblem, type Problem } from "./problem.ts";
export type * from "./skill.ts";
export { type Validation, validateSkill } from "./validate/validate-skill.ts";
export { findPython } from "./hosts/find-python.ts";
export { HostPool } from "./hosts/host-pool.ts";
export type { RunDone, RunMeta } from "./run/run-request.ts";
export { createRunner, type Runner, type RunnerParts } from "./run/runner.ts";
export { createSkillProviders, type SkillProviders } from "./run/skill-providers.ts";
export { createSkillState, type SkillState } from "./run/skill-state.ts";
export { standingOf } from "./standing.ts";
export { type OperationReport, testSkill } from "./testing/test-skill.ts";
export { cleanLine, escapeStart } from "./views/clean-text.ts";
export { entityLine } from "./views/entity-line.ts";
export { render } from "./views/render.ts";
