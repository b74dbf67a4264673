import type { Identity } from "../kernel/index.ts";

/** The name of an account nobody has asked the service about yet: where it came from. */
export function provisionalName(provider: string): string {
  return `@${provider}`;
}

export function isProvisional({ identifier }: Identity): boolean {
  return identifier.startsWith("@");
}
