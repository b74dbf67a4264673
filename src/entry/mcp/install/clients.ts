import { join } from "node:path";
import { quoteToml } from "./toml.ts";

/** How a client comes to Deputy: by starting it, or over HTTP. */
export type Way =
  | {
      readonly kind: "stdio";
      readonly command: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: "http"; readonly url: string; readonly token: string };

/** Where on this machine clients keep their settings. */
export interface Places {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** Of programs that follow the system's rules for settings. */
  readonly config: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ClientKind {
  readonly title: string;
  /** What it is started by. */
  readonly program: string;
  readonly file: (places: Places) => string;
  readonly format: "json" | "toml";
  readonly section: string;
  /** A value of JSON; of TOML each key's value as it is written. */
  readonly entry: (way: Way) => Readonly<Record<string, unknown>>;
  /** Whether we write the file ourselves; others we show what to write. */
  readonly edited: boolean;
  readonly after?: string;
}

function started({ command: [command = "", ...args], env }: Extract<Way, { kind: "stdio" }>) {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

function bearer(token: string) {
  return { Authorization: `Bearer ${token}` };
}

const plain = (way: Way) =>
  way.kind === "stdio" ? started(way) : { url: way.url, headers: bearer(way.token) };
const typed = (way: Way) =>
  way.kind === "stdio"
    ? { type: "stdio", ...started(way) }
    : { type: "http", url: way.url, headers: bearer(way.token) };

export const NAME = "deputy";

/** Every client we know the settings of. */
export const clientKinds: Readonly<Record<string, ClientKind>> = {
  "claude-code": {
    title: "Claude Code",
    program: "claude",
    file: ({ home, env }) => join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json"),
    format: "json",
    section: "mcpServers",
    entry: typed,
    edited: true,
    after: "Start Claude Code anew, or type /mcp in it.",
  },
  cursor: {
    title: "Cursor",
    program: "cursor",
    file: ({ home }) => join(home, ".cursor", "mcp.json"),
    format: "json",
    section: "mcpServers",
    entry: plain,
    edited: true,
    after: "Cursor asks to enable it; see Settings, MCP.",
  },
  codex: {
    title: "Codex",
    program: "codex",
    file: ({ home, env }) => join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml"),
    format: "toml",
    section: "mcp_servers",
    entry: codexEntry,
    edited: true,
    after: "Start Codex anew.",
  },
  "claude-desktop": {
    title: "Claude Desktop",
    program: "claude-desktop",
    file: ({ config }) => join(config, "Claude", "claude_desktop_config.json"),
    format: "json",
    section: "mcpServers",
    entry: plain,
    edited: false,
  },
  vscode: {
    title: "VS Code",
    program: "code",
    file: ({ config }) => join(config, "Code", "User", "mcp.json"),
    format: "json",
    section: "servers",
    entry: typed,
    edited: false,
  },
  gemini: {
    title: "Gemini CLI",
    program: "gemini",
    file: ({ home }) => join(home, ".gemini", "settings.json"),
    format: "json",
    section: "mcpServers",
    entry: (way) => (way.kind === "stdio" ? started(way) : { httpUrl: way.url, headers: bearer(way.token) }),
    edited: false,
  },
  opencode: {
    title: "opencode",
    program: "opencode",
    file: ({ home, env }) =>
      join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode", "opencode.json"),
    format: "json",
    section: "mcp",
    entry: (way) =>
      way.kind === "stdio"
        ? {
            type: "local",
            command: way.command,
            ...(Object.keys(way.env).length === 0 ? {} : { environment: way.env }),
            enabled: true,
          }
        : { type: "remote", url: way.url, headers: bearer(way.token), enabled: true },
    edited: false,
  },
  zed: {
    title: "Zed",
    program: "zed",
    file: ({ platform, home, config }) =>
      platform === "win32"
        ? join(config, "Zed", "settings.json")
        : join(home, ".config", "zed", "settings.json"),
    format: "json",
    section: "context_servers",
    entry: plain,
    edited: false,
  },
};

function codexEntry(way: Way): Record<string, string> {
  if (way.kind === "http") {
    return {
      url: quoteToml(way.url),
      http_headers: `{ Authorization = ${quoteToml(bearer(way.token).Authorization)} }`,
    };
  }
  const [command = "", ...args] = way.command;
  const env = Object.entries(way.env).map(([key, value]) => `${key} = ${quoteToml(value)}`);
  return {
    command: quoteToml(command),
    args: `[${args.map(quoteToml).join(", ")}]`,
    ...(env.length === 0 ? {} : { env: `{ ${env.join(", ")} }` }),
  };
}
