import type { Connection } from "../../auth/index.ts";
import { registrableDomain } from "../../cookies/index.ts";
import type { Program } from "../../expressions/index.ts";
import type { CallExecutor, Executor, StepExecutor } from "../executor.ts";
import type { Path } from "../manifest/yaml-source.ts";
import type { Operation, Skill } from "../skill.ts";
import type { Findings } from "./findings.ts";

const MAC_PROGRAMS =
  "osascript security defaults plutil pbcopy pbpaste mdfind mdls sips say screencapture".split(" ");

/** Whether every operation can be called at all, and leads where its connection may go. */
export function checkReach(findings: Findings, skill: Skill, platform: NodeJS.Platform): void {
  const used = new Set<string>();
  for (const operation of skill.operations.values()) {
    operation.connections.forEach((name) => used.add(name));
    const connections = operation.connections.flatMap((name) => skill.connections.get(name) ?? []);
    for (const [executor, path] of partsOf(operation)) {
      checkPart(findings, executor, path, connections, platform);
    }
  }
  for (const [name, { sqlite, vars }] of skill.connections) {
    const path = ["connections", name];
    if (!used.has(name) && skill.operations.size > 0)
      findings.add("warning", path, "no operation uses this connection");
    // One that names a place for each system has one for this too.
    const files = [sqlite, ...Object.values(vars)].filter(
      (one) => typeof one === "string" && /^~?\//.test(one),
    );
    if (
      platform !== "darwin" &&
      files.length > 0 &&
      files.every((one) => String(one).startsWith("~/Library/"))
    )
      findings.add("warning", path, "this file is there only on macOS");
    const { auth, baseUrl, hosts } = skill.connections.get(name) ?? {};
    if (auth != null && auth.type !== "cookies" && baseUrl === null && hosts?.length === 0)
      findings.add("warning", path, "it has neither a base_url nor hosts: its login can be sent nowhere");
  }
  for (const [index, provided] of skill.provides.entries()) {
    if (provided.kind !== "tool" || skill.operations.get(provided.via)?.resolverOnly !== true) continue;
    const message = `${provided.via} supplies logins, so nobody can call it as ${provided.tool}`;
    findings.add("error", ["provides", index, "via"], message);
  }
}

function* partsOf({ name, executor }: Operation): Generator<[Executor | StepExecutor, Path]> {
  const path = ["operations", name];
  if (executor.kind !== "steps") yield [executor, [...path, executor.kind]];
  else
    for (const [index, step] of executor.steps.entries())
      yield [step.executor, [...path, "steps", index, step.executor.kind]];
}

function checkPart(
  findings: Findings,
  executor: Executor | StepExecutor,
  path: Path,
  connections: readonly Connection[],
  platform: NodeJS.Platform,
): void {
  switch (executor.kind) {
    case "rest":
      checkUrl(findings, executor.url, [...path, "url"], connections);
      break;
    case "graphql":
      if (executor.endpoint !== null)
        checkUrl(findings, executor.endpoint, [...path, "endpoint"], connections);
      else if (!connections.some(({ baseUrl }) => baseUrl !== null)) {
        findings.add("error", path, "has no endpoint, and its connection no base_url: it can reach nothing");
      }
      break;
    case "sql":
      checkDatabase(findings, executor, path, connections);
      break;
    case "keychain":
      if (platform !== "darwin") findings.add("warning", path, "the keychain is there only on macOS");
      break;
    case "command":
      if (platform !== "darwin" && MAC_PROGRAMS.includes(executor.binary)) {
        findings.add("warning", [...path, "binary"], `${executor.binary} is there only on macOS`);
      }
      break;
    case "typescript":
    case "python":
    case "steps":
    case "crypto":
    case "plist":
    case "csv":
      break;
  }
}

function checkDatabase(
  findings: Findings,
  executor: Extract<CallExecutor, { kind: "sql" }>,
  path: Path,
  connections: readonly Connection[],
): void {
  if (executor.database !== null || connections.some(({ sqlite }) => sqlite !== null)) return;
  findings.add("error", path, "has no database, and its connection no sqlite: there is nothing to ask");
}

function checkUrl(
  findings: Findings,
  program: Program,
  path: Path,
  connections: readonly Connection[],
): void {
  const beginning = beginningOf(program);
  if (beginning === undefined) return;
  if (!/^https?:\/\//i.test(beginning)) {
    const relative = beginning.startsWith("/") || /^[\w.-]+(\/|$)/.test(beginning);
    if (relative && !connections.some(({ baseUrl }) => baseUrl !== null)) {
      const hint = "Write the whole URL, or give the connection a base_url.";
      findings.add("error", path, "is relative, and there is no base_url: it can reach nothing", hint);
    }
    return;
  }
  // As far as it is written out: what follows a host that is cut off is unknown.
  const url = /^https?:\/\/[^/?#]+[/?#]?/i.exec(beginning)?.[0] ?? "";
  if (!URL.canParse(url)) return;
  const { origin } = new URL(url);
  for (const connection of connections) {
    const { name, baseUrl } = connection;
    if (baseUrl !== null && baseUrl.origin === origin) {
      findings.add("warning", path, `can be written relative to ${name}'s base_url`);
    } else if (!covers(connection, new URL(url))) {
      const hint = "List the host under `hosts:` of the connection, or use `connection: none`.";
      findings.add("error", path, `leads to ${origin}, which the connection ${name} does not cover`, hint);
    }
  }
}

/** The same rule the network door has; it decides again for every request. */
function covers({ auth, domain, hosts, baseUrl }: Connection, url: URL): boolean {
  if (hosts === "any" || (baseUrl === null && auth === null)) return true;
  const listed = hosts.map((host) => new URL(host.includes("://") ? host : `https://${host}`).origin);
  if (listed.includes(url.origin)) return true;
  return auth?.type === "cookies" && (registrableDomain(url.hostname) ?? url.hostname) === domain;
}

/** The text a URL begins with, where that is written out. */
function beginningOf({ tree, jq }: Program): string | undefined {
  if (tree.kind === "text") return String(tree.value);
  if (tree.kind !== "jq") return undefined;
  return /^\(*"((?:[^"\\]|\\\/)*)/.exec(jq?.fields[tree.index]?.expression.trim() ?? "")?.[1] || undefined;
}
