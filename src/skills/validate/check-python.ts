import type { Findings } from "./findings.ts";

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

/** Says of a skill's Python what will not work here, and why. The code is read, not run. */
export function checkPython(findings: Findings, files: ReadonlyMap<string, Buffer>): void {
  for (const [file, content] of files) {
    if (!file.endsWith(".py")) continue;
    const found = importsOf(content.toString("utf8"));
    const has = (module: string) => found.some((one) => one === module || one.startsWith(`${module}.`));
    const own = (module: string) => files.has(`${module}.py`) || files.has(`${module}/__init__.py`);
    for (const [module, why] of CLOSED)
      if (has(module)) findings.inFile("warning", file, `imports ${module}: ${why}`);
    for (const module of NETWORK_PACKAGES) {
      if (has(module) && !own(module)) findings.inFile("warning", file, `imports ${module}: ${NO_NETWORK}`);
    }
    for (const module of PACKAGES) {
      if (!has(module) || own(module)) continue;
      findings.inFile(
        "warning",
        file,
        `needs the Python package ${module}`,
        "It has to be in the system's own Python.",
      );
    }
  }
}

/** Modules named by `import a.b, c` and `from a.b import c`, the latter both with and without the name. */
function importsOf(code: string): string[] {
  const found: string[] = [];
  for (const [, plain, from, names = ""] of code.matchAll(
    /^[ \t]*(?:import[ \t]+([^\n#]+)|from[ \t]+([\w.]+)[ \t]+import[ \t]+([^\n#]+))/gm,
  )) {
    const list = (text: string) => text.split(",").map((part) => part.trim().split(/\s/)[0] ?? "");
    if (plain !== undefined) found.push(...list(plain));
    else if (from !== undefined)
      found.push(from, ...list(names.replaceAll(/[()]/g, "")).map((name) => `${from}.${name}`));
  }
  return found;
}
