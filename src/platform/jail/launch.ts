/** How a jail is entered on one system: what is spawned, and what else it has to be told. */
export interface Launch {
  readonly argv: readonly [string, ...string[]];
  /** Of the program that is spawned, which need not be the one jailed. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Read by it, to their ends, from the first descriptors after the program's own. */
  readonly told: readonly Uint8Array[];
  /** It reports on one more descriptor, as `bwrap --json-status-fd` does, and ends with all of its namespace. */
  readonly reports: boolean;
  /** Done to it before it is told anything. */
  readonly confine?: (pid: number) => Disposable;
}

/** The program's own descriptors come first. */
export function firstFreeDescriptor(pipes: boolean | undefined): number {
  return pipes === true ? 5 : 3;
}

export const DEFAULT_ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  LANG: "C.UTF-8",
  HOME: "/nonexistent",
} as const;
