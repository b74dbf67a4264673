import { type Connection, loadConnection } from "../../auth/index.ts";
import type { Expressions, Template } from "../../expressions/index.ts";
import type { ReadManifest } from "../manifest/read-manifest.ts";
import type { ManifestForm } from "../manifest/manifest-form.ts";
import type { ManifestSource } from "../manifest/manifest-source.ts";
import { nearest } from "../nearest.ts";
import type { Problem } from "../problem.ts";
import type { Adapter, Operation, Provided, Skill } from "../skill.ts";
import { compileAdapter } from "./compile-adapter.ts";
import { compileOperation } from "./compile-operation.ts";
import { Compiler } from "./compiler.ts";

type CompiledParts = Pick<Skill, "connections" | "operations" | "adapters" | "provides" | "checks">;

interface Compilation {
  readonly id: string;
  readonly form: ManifestForm;
  readonly source: ManifestSource;
  readonly manifest: Pick<ReadManifest, "ancestor" | "checks">;
  readonly expressions: Expressions;
}

/** A manifest's parts ready to be used, and what is wrong with them; with an error among it they must not be. */
export async function compileSkill(
  given: Compilation,
): Promise<{ parts: CompiledParts; problems: Problem[] }> {
  const { id, form, source, manifest, expressions } = given;
  const compiler = new Compiler({ skill: id, expressions, source });

  const connections = new Map<string, Connection>();
  for (const [name, connection] of Object.entries(form.connections)) {
    const loaded = await compiler.gather(["connections", name], () =>
      loadConnection(connection, { skill: id, name }, expressions),
    );
    if (loaded !== undefined) connections.set(name, loaded);
    for (const host of connection.hosts === "any" ? [] : connection.hosts) {
      if (URL.canParse(host.includes("://") ? host : `https://${host}`)) continue;
      compiler.error(["connections", name, "hosts"], `${name} lists something that is not a host`);
    }
  }

  const supplying = new Set(form.provides.flatMap((entry) => ("auth" in entry ? [entry.via] : [])));
  const operations = new Map<string, Operation>();
  for (const [name, operation] of Object.entries(form.operations)) {
    const context = {
      connections: Object.keys(form.connections),
      lenient: manifest.ancestor,
      resolverOnly: supplying.has(name),
    };
    const mark = compiler.mark();
    const compiled = await compileOperation(compiler, name, operation, context);
    if (manifest.ancestor && compiler.excuse(mark, `operations.${name}`)) continue;
    operations.set(name, compiled);
  }

  const adapters = new Map<string, Adapter>();
  for (const [shape, adapter] of Object.entries(form.adapters)) {
    const fields = adapter as { readonly [key: string]: Template };
    const mark = compiler.mark();
    const compiled = await compileAdapter(compiler, shape, fields, ["adapters", shape]);
    if (manifest.ancestor && compiler.excuse(mark, `adapters.${shape}`)) continue;
    adapters.set(shape, compiled);
  }

  const references = compiler.mark();
  const provides = form.provides.map((entry, index) => {
    checkOperation(compiler, operations, entry.via, ["provides", index, "via"]);
    return providedBy(entry);
  });
  const checks = checksOf(compiler, operations, manifest.checks);
  checkLogins(compiler, operations, form);
  if (manifest.ancestor) compiler.excuse(references, "what names it");
  const usable = provides.filter(({ via }) => operations.has(via));
  const parts = { connections, operations, adapters, provides: usable, checks };
  return { parts, problems: compiler.problems };
}

function providedBy(entry: ManifestForm["provides"][number]): Provided {
  const { via } = entry;
  const description = entry.description ?? null;
  if ("tool" in entry) return { kind: "tool", tool: entry.tool, via, urls: entry.urls, description };
  return {
    kind: "auth",
    auth: entry.auth,
    via,
    service: entry.service ?? null,
    scopes: entry.scopes,
    accountParam: entry.account_param ?? null,
    description,
  };
}

/** `check_session` is asked whose login its connection has, unless the manifest names another. */
function checksOf(
  compiler: Compiler,
  operations: ReadonlyMap<string, Operation>,
  named: ReadonlyMap<string, string>,
): Map<string, string> {
  const checks = new Map<string, string>();
  for (const connection of operations.get("check_session")?.connections ?? []) {
    checks.set(connection, "check_session");
  }
  for (const [connection, operation] of named) {
    checkOperation(compiler, operations, operation, ["connections", connection, "auth"]);
    if (operations.has(operation)) checks.set(connection, operation);
  }
  return checks;
}

function checkLogins(
  compiler: Compiler,
  operations: ReadonlyMap<string, Operation>,
  form: ManifestForm,
): void {
  for (const [name, { auth }] of Object.entries(form.connections)) {
    for (const way of auth?.type === "cookies" ? auth.login : []) {
      if (way.kind !== "operation") continue;
      checkOperation(compiler, operations, way.operation, ["connections", name, "auth", "login"]);
    }
  }
}

function checkOperation(
  compiler: Compiler,
  operations: ReadonlyMap<string, Operation>,
  name: string,
  path: readonly (string | number)[],
): void {
  if (operations.has(name)) return;
  const near = nearest(name, operations.keys());
  compiler.error(
    path,
    `there is no operation ${name}`,
    near === undefined ? undefined : `Did you mean ${near}?`,
  );
}
