/** Entries that a command starts. They are handed in, so that no entry imports another and only their command loads them. */
export interface Entries {
  readonly mcp: () => Promise<McpEntry>;
  readonly units: () => Promise<UnitsEntry>;
}

export interface UnitsEntry {
  print(unit: Unit): { readonly file: string; readonly text: string };
  install(unit: Unit): UnitChange;
  uninstall(name: string): UnitChange;
}

interface Unit {
  readonly name: string;
  readonly summary: string;
  readonly args: readonly string[];
}

interface UnitChange {
  readonly file: string;
  readonly changed: boolean;
  /** What the owner runs to have it take effect. */
  readonly next: string;
}

export interface McpEntry {
  serveStdio(): Promise<void>;
  serveHttp(port: number): Promise<{ readonly port: number } & AsyncDisposable>;
  call(tool: string, input: unknown): Promise<{ text: string; failed: boolean; result: unknown }>;
  knownClients(): KnownClient[];
  tokenClients(): string[];
  createToken(name: string): { client: string; token: string };
  removeToken(name: string): boolean;
  install(client: string, httpPort?: number): InstalledClient;
  uninstall(client: string): InstalledClient;
  snippet(client: string, httpPort?: number): { file: string; text: string };
}

export interface KnownClient {
  readonly client: string;
  readonly title: string;
  readonly file: string;
  readonly found: boolean;
  /** Whether Deputy writes its settings itself. */
  readonly edited: boolean;
  /** Whether Deputy is in them already. */
  readonly present: boolean;
}

export interface InstalledClient {
  readonly client: string;
  readonly file: string;
  readonly changed: boolean;
  readonly backup: string | null;
  readonly after: string | null;
}
