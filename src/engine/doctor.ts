import { accessSync, constants, statSync } from "node:fs";
import type { DeputyError } from "../kernel/index.ts";
import {
  createJail,
  type Environment,
  type HomePaths,
  type Hardening,
  type Keyring,
} from "../platform/index.ts";
import type { Check, VaultStatus } from "./methods.ts";

interface Parts {
  readonly env: Environment;
  readonly paths: HomePaths;
  readonly hardening: Hardening;
  readonly overrides: readonly string[];
  /** Read anew: the owner may just have corrected it. */
  readonly configProblem: () => DeputyError | undefined;
  readonly keyring: Keyring;
  readonly vault: () => Promise<VaultStatus>;
  readonly log: () => Promise<Check>;
  readonly surfaces: () => Promise<readonly Check[]>;
  readonly peers: () => Promise<readonly Check[]>;
}

/** Everything a person would look at first when something does not work, each with what to do about it. */
export async function examine(parts: Parts): Promise<{ ok: boolean; checks: Check[] }> {
  const vault = await parts.vault();
  const checks = [
    runtime(),
    home(parts.paths),
    config(parts.configProblem()),
    await keyring(parts.keyring, vault),
    vaultCheck(vault),
    rollback(vault),
    await parts.log(),
    hardened(parts.hardening),
    overrides(parts.overrides),
    await sandbox(parts.env),
    ...(await parts.surfaces()),
    ...(await parts.peers()),
  ];
  return { ok: checks.every((check) => check.status !== "fail"), checks };
}

function runtime(): Check {
  return { id: "runtime", status: "ok", message: `Node ${process.versions.node} on ${process.platform}` };
}

function home(paths: HomePaths): Check {
  try {
    accessSync(paths.home, constants.W_OK);
  } catch {
    const message = `${paths.home} cannot be written`;
    return { id: "home", status: "fail", message, hint: "Check who owns it, or set DEPUTY_HOME." };
  }
  if (process.platform !== "win32" && (statSync(paths.home).mode & 0o077) !== 0) {
    const hint = `Make it yours alone: chmod 700 ${paths.home}`;
    return { id: "home", status: "fail", message: `Others can read ${paths.home}`, hint };
  }
  return { id: "home", status: "ok", message: `${paths.home} is private to you` };
}

function config(problem: DeputyError | undefined): Check {
  if (problem === undefined)
    return { id: "config", status: "ok", message: "config.yaml is in order or not there" };
  return { id: "config", status: "fail", message: problem.message, ...hintOf(problem) };
}

async function keyring(ring: Keyring, vault: VaultStatus): Promise<Check> {
  const probe = await ring.probe();
  if (probe.kind === "works") return { id: "keyring", status: "ok", message: "The system's keyring works" };
  const needed = vault.key === "keyring";
  return {
    id: "keyring",
    status: needed ? "fail" : "warn",
    message: `The system's keyring does not answer: ${probe.reason}`,
    hint: needed
      ? "The vault's key is in it. Log in to your desktop session, or start a Secret Service."
      : "Deputy works without it, with a passphrase or a key file.",
  };
}

function vaultCheck(vault: VaultStatus): Check {
  const id = "vault";
  switch (vault.state) {
    case "none":
      return { id, status: "warn", message: "There is no vault yet", hint: "Make one: deputy setup" };
    case "locked":
    case "problem": {
      const { message = "The vault cannot be opened", hint } = vault.problem ?? {};
      const status = vault.state === "locked" ? "warn" : "fail";
      return { id, status, message, ...(hint === undefined ? {} : { hint }) };
    }
    case "open": {
      const rows = vault.rows === 1 ? "1 row" : `${vault.rows} rows`;
      if (vault.key === "file") {
        return {
          id,
          status: "warn",
          message: `${rows}; the vault's key is a file: who can read your files can open the vault`,
          hint: "Safer: deputy vault rekey --key keyring (or passphrase)",
        };
      }
      return { id, status: "ok", message: `${rows}; the key comes from a ${vault.key}` };
    }
  }
}

function rollback(vault: VaultStatus): Check {
  const id = "rollback";
  if (vault.state !== "open")
    return { id, status: "ok", message: "Rollback is looked for when the vault opens" };
  if (vault.rollback_detection) {
    return { id, status: "ok", message: "An older copy of the vault put in place would be noticed" };
  }
  return {
    id,
    status: "warn",
    message: "An older copy of the whole vault put in place would not be noticed",
    hint: "Noticing it takes a system keyring.",
  };
}

function hardened(hardening: Hardening): Check {
  const id = "hardening";
  if (hardening.noCoreFiles && hardening.notDumpable) {
    return {
      id,
      status: "ok",
      message: "The engine's memory is kept out of core files and of other processes",
    };
  }
  if (hardening.noCoreFiles && process.platform !== "linux") {
    return { id, status: "ok", message: "The engine's memory is kept out of core files" };
  }
  return {
    id,
    status: "warn",
    message: "The engine could not protect its memory from core files and debuggers",
    hint: "Programs you run could read keys from the engine. See docs/threat-model.md.",
  };
}

function overrides(names: readonly string[]): Check {
  const id = "overrides";
  if (names.length === 0)
    return { id, status: "ok", message: "No override of names, roots or proxies is in force" };
  return {
    id,
    status: "warn",
    message: `The engine's requests do not all go the usual way: ${names.join("; ")}`,
    hint: "From config.yaml, or from who ran deputy engine start. If you did not mean that: deputy engine stop",
  };
}

async function sandbox(env: Environment): Promise<Check> {
  const id = "sandbox";
  const jail = await createJail({ env });
  if (jail.level === "full")
    return { id, status: "ok", message: "Code of skills runs in a jail: a trial run worked" };
  return {
    id,
    status: "warn",
    message: `Code of skills is held by Node's permission model alone: ${jail.reason}`,
    ...(process.platform === "linux"
      ? { hint: "Install bubblewrap (apt install bubblewrap), and let it make user namespaces." }
      : {}),
  };
}

function hintOf(error: DeputyError): { hint?: string } {
  return error.hint === undefined ? {} : { hint: error.hint };
}
