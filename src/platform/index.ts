/**
 * All of the operating system, and only here: SQLite, files, processes, the keyring, paths, the environment,
 * sockets. The rest of Deputy never touches `node:sqlite`, `node:child_process` or `process.env`.
 * It knows nothing of vaults, cookies or browsers.
 */
export { askDatabase, databaseStamp } from "./ask-database.ts";
export { createFile, moveIntoPlace, temporaryBeside, writeFileAtomic } from "./atomic-file.ts";
export { bootId } from "./boot-id.ts";
export { callingAgent } from "./calling-agent.ts";
export { Database, type SqlRow, type SqlValue } from "./database.ts";
export { engineEnvironment, type Environment, readEnvironment } from "./environment.ts";
export { fileError } from "./file-error.ts";
export { FileLock } from "./file-lock.ts";
export { type AskableDatabase, ForeignDatabase, type ForeignRow } from "./foreign-database.ts";
export { ForeignWriter } from "./foreign-writer.ts";
export { harden, type Hardening } from "./hardening.ts";
export { type HomePaths, homePaths, prepareHome, removeSocket } from "./home.ts";
export { createJail, type Jail, type Jailed, type JailExit, type JailSpec } from "./jail/index.ts";
export { jailedProgram } from "./jailed-program.ts";
export { queryInJail, sqlLimits } from "./jailed-sql/query-in-jail.ts";
export type { SqlAnswer } from "./jailed-sql/sql-job.ts";
export { lookupKeychain } from "./keychain.ts";
export { createKeyring, isOwnService, type Keyring } from "./keyring.ts";
export { withNativeEnvironment } from "./native-environment.ts";
export { hasDisplay, openPage } from "./open-page.ts";
export { peerOf } from "./peer.ts";
export { startPiped } from "./piped-process.ts";
export { lookupSecret, type SecretLookup } from "./secret-tool.ts";
export { type RunningProcess, startProcess } from "./running-process.ts";
export { createUserUnits } from "./user-units.ts";
export { findProgram, isRunning, runProcess, startDetached } from "./process.ts";
