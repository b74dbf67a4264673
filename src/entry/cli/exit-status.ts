import type { ErrorCode } from "../../kernel/index.ts";

/** 0 done, 1 failed, 2 bad usage, 3 a login is needed, 4 denied, 5 engine unreachable. */
export function exitStatus(code: ErrorCode): number {
  switch (code) {
    case "BAD_USAGE":
    case "BAD_INPUT":
      return 2;
    case "LOGIN_NEEDED":
    case "SESSION_EXPIRED":
      return 3;
    case "DENIED":
      return 4;
    case "ENGINE_UNREACHABLE":
    case "ENGINE_BUSY":
      return 5;
    case "BAD_CONFIG":
    case "NOT_FOUND":
    case "SKILL_FAILED":
    case "CONFLICT":
    case "TOO_LARGE":
    case "CANCELLED":
    case "TIMEOUT":
    case "NETWORK_FAILED":
    case "TLS_FAILED":
    case "UNSUPPORTED":
    case "PROTOCOL":
    case "HOME_UNUSABLE":
    case "DISK_FULL":
    case "READ_ONLY":
    case "DATABASE_BUSY":
    case "DATABASE_CORRUPT":
    case "NOT_SET_UP":
    case "VAULT_LOCKED":
    case "VAULT_NEWER":
    case "VAULT_DAMAGED":
    case "VAULT_TAMPERED":
    case "VAULT_ROLLED_BACK":
    case "WRONG_KEY":
    case "KEYRING_UNAVAILABLE":
    case "KEY_FILE_EXPOSED":
    case "BROWSER_NOT_FOUND":
    case "SKILL_BROKEN":
    case "INTERNAL":
      return 1;
  }
}
