import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { DeputyError, shellWord } from "../kernel/index.ts";
import { writeFileAtomic } from "./atomic-file.ts";
import type { Environment } from "./environment.ts";

/** A command of Deputy's that is to run whenever its owner is logged in. */
interface UserUnit {
  /** `sink` */
  readonly name: string;
  readonly summary: string;
  readonly args: readonly string[];
}

interface UnitFile {
  readonly file: string;
  readonly text: string;
}

export interface UnitChange {
  readonly file: string;
  /** False: it was so already. */
  readonly changed: boolean;
  /** What the owner runs to have it take effect: Deputy starts and enables nothing by itself. */
  readonly next: string;
}

interface UserUnits {
  print(unit: UserUnit): UnitFile;
  install(unit: UserUnit): UnitChange;
  uninstall(name: string): UnitChange;
}

interface Parts {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** What starts Deputy: absolute, for a service has no PATH to speak of. */
  readonly command: readonly string[];
  readonly logs: string;
}

/** Without two dashes: a comment of XML may hold none. */
const MARK = "Written by Deputy, which also removes it: deputy help sink";

/** Services of this user: units of systemd, agents of launchd. A file somebody else wrote is left alone. */
export function createUserUnits(parts: Parts): UserUnits {
  const kind = kindOf(parts);
  const ours = (name: string) => {
    const file = kind.file(name);
    const text = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    if (text !== undefined && !text.includes(MARK))
      throw new DeputyError("CONFLICT", `${file} is there and not Deputy's`, {
        hint: "Move it away first. --print shows what Deputy would write.",
      });
    return { file, text };
  };
  const print = (unit: UserUnit): UnitFile => ({
    file: kind.file(unit.name),
    text: kind.write(unit, [...parts.command, ...unit.args].map(checked)),
  });
  return {
    print,
    install(unit) {
      const { file, text: before } = ours(unit.name);
      const { text } = print(unit);
      const change = { file, next: kind.enable(unit.name) };
      if (before === text) return { ...change, changed: false };
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileAtomic(file, text, 0o600);
      return { ...change, changed: true };
    },
    uninstall(name) {
      const { file, text } = ours(name);
      rmSync(file, { force: true });
      return { file, changed: text !== undefined, next: kind.disable(name) };
    },
  };
}

interface Kind {
  file(name: string): string;
  write(unit: UserUnit, argv: readonly string[]): string;
  enable(name: string): string;
  disable(name: string): string;
}

function kindOf({ env, platform, logs }: Parts): Kind {
  const home = env["HOME"] || homedir();
  const own = env["DEPUTY_HOME"] ? { DEPUTY_HOME: checked(env["DEPUTY_HOME"]) } : {};
  if (platform === "linux")
    return systemd(join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "systemd", "user"), own);
  if (platform === "darwin") return launchd(join(home, "Library", "LaunchAgents"), own, logs);
  throw new DeputyError("UNSUPPORTED", "Deputy knows no way to have itself started on this system", {
    hint: "Have your system run the command without --install when you log in.",
  });
}

/** systemd.service(5), systemd.syntax(7). */
function systemd(folder: string, variables: Readonly<Record<string, string>>): Kind {
  const file = (name: string) => `deputy-${name}.service`;
  return {
    file: (name) => join(folder, file(name)),
    write: ({ summary }, argv) => `# ${MARK}
[Unit]
Description=Deputy: ${summary}

[Service]
${Object.entries(variables)
  .map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}\n`)
  .join("")}ExecStart=${argv.map(systemdWord).join(" ")}
# The engine serves other commands too: it stays when this one ends.
KillMode=process
KillSignal=SIGINT
Restart=on-failure
RestartSec=5
UMask=0077

[Install]
WantedBy=default.target
`,
    enable: (name) => `systemctl --user daemon-reload && systemctl --user enable --now ${file(name)}`,
    disable: (name) => `systemctl --user disable --now ${file(name)}; systemctl --user daemon-reload`,
  };
}

/** Quoted; `%` and `$` would be replaced by something else. */
function systemdWord(word: string): string {
  const escaped = word
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("%", "%%")
    .replaceAll("$", () => "$$");
  return `"${escaped}"`;
}

/** launchd.plist(5). */
function launchd(folder: string, variables: Readonly<Record<string, string>>, logs: string): Kind {
  const label = (name: string) => `deputy.${name}`;
  const file = (name: string) => join(folder, `${label(name)}.plist`);
  const strings = (words: readonly string[]) =>
    words.map((word) => `    <string>${xml(word)}</string>`).join("\n");
  const pairs = Object.entries(variables).map(
    ([name, value]) => `<key>${xml(name)}</key><string>${xml(value)}</string>`,
  );
  return {
    file,
    write: ({ name }, argv) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key><string>${xml(label(name))}</string>
  <key>ProgramArguments</key>
  <array>
${strings(argv)}
  </array>
  <key>EnvironmentVariables</key><dict>${pairs.join("")}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>AbandonProcessGroup</key><true/>
  <key>Umask</key><integer>63</integer>
  <key>StandardErrorPath</key><string>${xml(join(logs, `${name}.log`))}</string>
</dict>
</plist>
`,
    enable: (name) => `launchctl bootstrap gui/$UID ${shellWord(file(name))}`,
    disable: (name) => `launchctl bootout gui/$UID/${label(name)}`,
  };
}

function xml(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (sign) => names[sign] ?? sign);
}

/** A line of its own would be an order of its own. */
function checked(word: string): string {
  if (!/\p{Cc}/u.test(word)) return word;
  throw new DeputyError("BAD_INPUT", "Control characters cannot be part of a service", {
    hint: "Leave them out.",
  });
}
