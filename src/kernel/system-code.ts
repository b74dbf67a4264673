/** The system's name for what went wrong, such as `ENOENT`; undefined where an error has none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
