/**
 * Every code a person, a script or an agent may meet, with the sentence docs and translators build on.
 * A code is a promise: it is never renamed and never given another meaning.
 */
export const errorCodes = {
  BAD_USAGE: "the command or its options are not right",
  BAD_INPUT: "what was given cannot be used",
  BAD_CONFIG: "config.yaml cannot be used",
  NOT_FOUND: "what was asked for is not there",
  CONFLICT: "somebody else changed it first",
  TOO_LARGE: "more than is accepted",
  LOGIN_NEEDED: "there is no usable login",
  SESSION_EXPIRED: "the service no longer takes the login",
  SKILL_FAILED: "a skill's operation did not succeed",
  DENIED: "no grant or policy allows it",
  CANCELLED: "the caller gave up",
  TIMEOUT: "it took too long",
  NETWORK_FAILED: "the other side could not be reached, or broke off",
  TLS_FAILED: "the other side did not prove who it is",
  UNSUPPORTED: "not possible on this system",
  ENGINE_UNREACHABLE: "the engine does not answer",
  ENGINE_BUSY: "the engine is starting or stopping",
  PROTOCOL: "the other side does not speak our protocol",
  HOME_UNUSABLE: "the Deputy home cannot be used",
  DISK_FULL: "there is no room to write",
  READ_ONLY: "the place cannot be written",
  DATABASE_BUSY: "another process holds the database",
  DATABASE_CORRUPT: "the database file is damaged",
  NOT_SET_UP: "there is no vault yet",
  VAULT_LOCKED: "the vault's key is not available",
  VAULT_NEWER: "the vault was written by a newer Deputy",
  VAULT_DAMAGED: "a part of the vault does not prove itself",
  VAULT_TAMPERED: "rows were removed or changed behind Deputy's back",
  VAULT_ROLLED_BACK: "an older copy of the vault was put in place",
  WRONG_KEY: "the key does not open the vault",
  KEYRING_UNAVAILABLE: "the system's keyring does not answer",
  KEY_FILE_EXPOSED: "others can read the key file",
  BROWSER_NOT_FOUND: "no such browser or profile",
  SKILL_BROKEN: "the skill's files cannot be used",
  INTERNAL: "a fault of Deputy itself",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** How an error looks on the socket, in `--json` and on HTTP. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly remedy?: Remedy;
}

/** What the owner could say to allow what was denied, for an entry that can ask them. */
export interface Remedy {
  readonly grant: Readonly<Record<string, unknown>>;
  /** Where the login could go then. */
  readonly hosts: readonly string[];
  /** The owner allowed other code of this name before. */
  readonly changed_code: boolean;
}

/**
 * The one error for operational failures. `message` says what happened in words for a person who did nothing
 * wrong, `hint` what to do next. Neither ever contains a secret.
 */
export class DeputyError extends Error {
  override readonly name = "DeputyError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly remedy: Remedy | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string | undefined; cause?: unknown; remedy?: Remedy | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.remedy = options.remedy;
  }

  toJSON(): WireError {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.remedy === undefined ? {} : { remedy: this.remedy }),
    };
  }

  /** The other end of `toJSON`. A code this build does not know becomes INTERNAL, its name kept in the message. */
  static fromWire(wire: Omit<WireError, "code"> & { readonly code: string }): DeputyError {
    if (Object.hasOwn(errorCodes, wire.code)) {
      return new DeputyError(wire.code as ErrorCode, wire.message, { hint: wire.hint, remedy: wire.remedy });
    }
    return new DeputyError("INTERNAL", `${wire.code}: ${wire.message}`, { hint: wire.hint });
  }
}
