import type { Readable, Writable } from "node:stream";

/** A path of this machine; a string is the same path inside. */
export type JailPath = string | { readonly from: string; readonly to: string };

export interface JailLimits {
  /** From the start, or from the last call of `limit`. Infinity for a program that waits for work. */
  readonly wallMs: number;
  /** Of all processes together: private and shared memory, page tables, and what is in /tmp. */
  readonly memoryBytes: number;
  /** Processes and threads together. */
  readonly processes: number;
  /** On stdout and stderr together; as much may wait in this process for a reader. */
  readonly outputBytes: number;
  /** The longest file, and all the room there is in /tmp. */
  readonly fileBytes: number;
  readonly openFiles: number;
}

export interface JailSpec {
  /** The program by its absolute path inside, and its arguments, which every user of the machine can read. */
  readonly argv: readonly [string, ...string[]];
  readonly read?: readonly JailPath[];
  readonly write?: readonly JailPath[];
  /** A folder inside. Without one: /tmp. */
  readonly cwd?: string;
  /** The whole environment inside. */
  readonly env?: Readonly<Record<string, string>>;
  /** It may start processes, not only threads. */
  readonly fork?: boolean;
  /** It shares this machine's network, loopback and what listens there included. */
  readonly net?: boolean;
  /** Two more descriptors: it reads 3 and writes 4. */
  readonly pipes?: boolean;
  readonly limits?: Partial<JailLimits>;
  readonly signal?: AbortSignal;
  /** It fences itself (Node's permission model), so it may start where there is no jail. */
  readonly reducedOk?: boolean;
}

export interface JailExit {
  /** Null when a signal ended it. */
  readonly status: number | null;
  /** As shells do, a status above 128 is read as a signal. */
  readonly signal: string | null;
  /** Why the jail ended it, or null where it ended by itself. */
  readonly stopped: "wall" | "memory" | "processes" | "output" | "cancelled" | null;
  /** The last of what it said on stderr. */
  readonly said: string;
}

export interface Jailed {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** With `pipes` only. */
  readonly toChild?: Writable;
  readonly fromChild?: Readable;
  /** Resolves once every process in the jail is gone. */
  readonly exited: Promise<JailExit>;
  /** Resolves when the jail ends it: none of its code runs any more, but it may take a while to be gone. */
  readonly ending: Promise<NonNullable<JailExit["stopped"]>>;
  /** Ends every process in the jail. */
  kill(): void;
  /** Replaces limits; time and output count from now. Memory can only be lowered. */
  limit(limits: Partial<Pick<JailLimits, "wallMs" | "memoryBytes" | "processes" | "outputBytes">>): void;
}

export interface Jail {
  /** `reduced`: the system has no jail to offer, for this reason. */
  readonly level: "full" | "reduced";
  readonly reason?: string;
  start(spec: JailSpec): Promise<Jailed>;
  run(
    spec: JailSpec & { readonly input?: Uint8Array | string },
  ): Promise<{ readonly stdout: Buffer; readonly stderr: Buffer; readonly exit: JailExit }>;
}
