import type { Findings } from "./findings.ts";
import { unknownNames } from "./known-sdk.ts";
import { importsOf, lineAt } from "./python-imports.ts";

const NO_NETWORK = "code has no network of its own; use agentos.http";
const NO_PROGRAMS = "code starts no programs itself; use agentos.shell, or a command step";

/** What is there in the language and does not work in a host. */
const CLOSED = new Map(
  Object.entries({
    ...Object.fromEntries(
      ["urllib.request", "http.client", "socket", "ssl", "smtplib", "imaplib"].map((m) => [m, NO_NETWORK]),
    ),
    ...Object.fromEntries(["subprocess", "multiprocessing", "pty"].map((m) => [m, NO_PROGRAMS])),
    ctypes: "native calls are closed to code",
  }),
);

/** Packages that talk to the network themselves. */
const NETWORK_PACKAGES = [
  "requests",
  "httpx",
  "aiohttp",
  "urllib3",
  "curl_cffi",
  "playwright",
  "selenium",
  "websockets",
];

/** Packages skills are known to use that do not come with Python. */
const PACKAGES = [
  ..."lxml bs4 html5lib numpy pandas yaml PIL dateutil pytz jwt cryptography Crypto markdown feedparser".split(
    " ",
  ),
  ..."googleapiclient google.oauth2 keyring pydantic tldextract rapidfuzz objc AppKit Foundation".split(" "),
];

/** What is there on one system only, by what it looks like in code. */
const MACOS: readonly (readonly [RegExp, string])[] = [
  [/["'](?:~|\/Users\/[^"'/]+)?\/Library\/|["']Library["']/, "reads what is in ~/Library"],
  [/["']\/(?:Applications|System|opt\/homebrew)\//, "uses a program or file"],
  [/\b(?:osascript|plutil|pbcopy|pbpaste|mdfind|screencapture|find-generic-password)\b/, "starts a program"],
  [/\bkeychain\.read\s*\(/, "reads the keychain"],
];

interface Options {
  readonly platform: NodeJS.Platform;
  readonly ancestor: boolean;
}

/** Says of a skill's Python what will not work here, and why. The code is read, not run. */
export function checkPython(
  findings: Findings,
  files: ReadonlyMap<string, Buffer>,
  { platform, ancestor }: Options,
): void {
  for (const [file, content] of files) {
    if (!file.endsWith(".py")) continue;
    const code = content.toString("utf8");
    const found = importsOf(code);
    const line = (module: string) =>
      found.find(({ name }) => name === module || name.startsWith(`${module}.`))?.line;
    const own = (module: string) => files.has(`${module}.py`) || files.has(`${module}/__init__.py`);
    const warn = (at: number | undefined, message: string, hint?: string) => {
      if (at !== undefined) findings.inFile("warning", file, message, hint, at);
    };
    for (const [module, why] of CLOSED) warn(line(module), `imports ${module}: ${why}`);
    for (const module of NETWORK_PACKAGES)
      if (!own(module)) warn(line(module), `imports ${module}: ${NO_NETWORK}`);
    for (const module of PACKAGES) {
      if (own(module)) continue;
      warn(
        line(module),
        `needs the Python package ${module}`,
        "It has to be in the system's own Python: skills see what is installed there.",
      );
    }
    if (!ancestor) continue;
    for (const { name, line: at } of unknownNames(found)) warn(at, `agentos has no ${name} here`);
    if (platform === "darwin") continue;
    for (const [pattern, what] of MACOS) {
      const match = pattern.exec(code);
      if (match !== null) warn(lineAt(code, match.index), `${what} that is there only on macOS`);
    }
  }
}
