import { registrableDomain } from "../../cookies/index.ts";
import { type AnyMap, defined, mapOf } from "./any-map.ts";
import type { Path } from "./manifest-source.ts";

/** Keys only the ancestor has and that say nothing Deputy acts on: left out without a word. */
const ORNAMENTS = ["color", "icon", "privacy_url", "terms_url", "credits", "product", "test"];
const OPERATION_ORNAMENTS = ["web_url", "wraps_as"];
/** Further keys that only the ancestor's skills have. */
const MARKS = [...ORNAMENTS, "sources", "accounts", "database", "auth"];
/** Other words for the types of parameters, and for modes. */
const TYPES = new Map(
  Object.entries({
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    any: "json",
  }),
);
const MODES = new Map([
  ["cors", "fetch"],
  ["navigate", "browser"],
]);

interface Adapted {
  readonly data: AnyMap;
  readonly warnings: readonly { readonly path: Path; readonly message: string }[];
  /** Operations the ancestor calls to learn whose login a connection has. */
  readonly checks: ReadonlyMap<string, string>;
}

/**
 * Whether a manifest was written for the ancestor: it runs Python, which only its skills are written in, or has a key
 * only its skills have. (So is one beside code that imports `agentos`.) In such a manifest an unknown key is a warning:
 * it worked without Deputy knowing it.
 */
export function isAncestor(data: unknown): boolean {
  const manifest = mapOf(data);
  if (manifest === undefined) return false;
  if (MARKS.some((key) => key in manifest)) return true;
  return Object.values(mapOf(manifest["operations"]) ?? {}).some((value) => {
    const operation = mapOf(value) ?? {};
    if ("python" in operation || OPERATION_ORNAMENTS.some((key) => key in operation)) return true;
    if (/(^|\/)python[\d.]*$/.test(String(mapOf(operation["command"])?.["binary"]))) return true;
    return stepsOf(operation).some((step) => "python" in (mapOf(step) ?? {}));
  });
}

interface AdaptOptions {
  readonly platform: NodeJS.Platform;
  /** Addresses that stand in its code. */
  readonly origins?: readonly string[];
}

/** The ancestor's older and looser spellings as the one Deputy has. What it cannot follow is left out with a warning. */
export function adaptAncestor(given: AnyMap, { platform, origins = [] }: AdaptOptions): Adapted {
  const data = structuredClone(given);
  const warnings: { path: Path; message: string }[] = [];
  const checks = new Map<string, string>();
  const warn = (path: Path, message: string) => void warnings.push({ path, message });

  for (const key of ORNAMENTS) delete data[key];
  if (data["auth"] === "none") delete data["auth"];
  completeUrl(data, "website");
  if (typeof data["database"] === "string") {
    data["connections"] = { ...mapOf(data["connections"]), db: { sqlite: data["database"] } };
    delete data["database"];
  }
  for (const [name, value] of Object.entries(mapOf(data["connections"]) ?? {})) {
    const connection = mapOf(value);
    if (connection === undefined) continue;
    adaptConnection(connection, name, { platform, warn, checks });
    addHosts(connection, name, origins, warn);
  }
  for (const value of Object.values(mapOf(data["operations"]) ?? {})) {
    const operation = mapOf(value);
    if (operation === undefined) continue;
    for (const key of OPERATION_ORNAMENTS) delete operation[key];
    adaptParams(operation);
    adaptCalls(operation);
    adaptTest(operation);
    const nested = mapOf(operation["steps"]);
    if (nested === undefined) continue;
    operation["steps"] = nested["steps"];
    operation["response"] ??= nested["response"];
    if (operation["response"] === undefined) delete operation["response"];
  }
  for (const [shape, value] of Object.entries(mapOf(data["adapters"]) ?? {})) {
    const mapping = mapOf(mapOf(value)?.["mapping"]);
    if (mapping !== undefined) (data["adapters"] as AnyMap)[shape] = mapping;
  }
  if (Array.isArray(data["provides"])) {
    data["provides"] = data["provides"].flatMap((entry: unknown, index) => {
      const provided = providedBy(entry);
      if (provided === undefined)
        warn(["provides", index], "this is neither a tool nor a login, and is left out");
      return provided ?? [];
    });
  }
  return { data, warnings, checks };
}

interface Context {
  readonly platform: NodeJS.Platform;
  readonly warn: (path: Path, message: string) => void;
  readonly checks: Map<string, string>;
}

function adaptParams(operation: AnyMap): void {
  for (const param of Object.values(mapOf(operation["params"]) ?? {})) {
    const form = mapOf(param);
    const type = form?.["type"];
    if (form !== undefined && typeof type === "string") form["type"] = TYPES.get(type) ?? type;
  }
}

/** Its time limits were its own, and its methods in any case. */
function adaptCalls(operation: AnyMap): void {
  for (const value of [
    ...Object.values(operation),
    ...stepsOf(operation).flatMap((step) => Object.values(mapOf(step) ?? {})),
  ]) {
    const call = mapOf(value);
    if (typeof call?.["timeout"] === "number") call["timeout"] = Math.min(call["timeout"], 600);
    if (typeof call?.["method"] === "string") call["method"] = call["method"].toUpperCase();
  }
}

/** Its authors mark what must not run by itself; what may, only looks. */
function adaptTest(operation: AnyMap): void {
  const test = mapOf(operation["test"]);
  if (test === undefined || (test["skip"] ?? false) !== false || test["mode"] === "write") return;
  if ("python" in operation || "command" in operation) operation["effect"] ??= "read";
}

/**
 * The ancestor kept nobody from any host, so that its skills do not list theirs. Those of the service itself stand in
 * the code; the owner is shown them with the grant.
 */
function addHosts(connection: AnyMap, name: string, origins: readonly string[], warn: Context["warn"]): void {
  const type = mapOf(connection["auth"])?.["type"];
  if (connection["hosts"] !== undefined || (type !== "api_key" && type !== "oauth")) return;
  const domainOf = (url: unknown) =>
    typeof url === "string" && URL.canParse(url) ? domainIn(new URL(url).hostname) : undefined;
  if (connection["base_url"] === undefined) {
    const domains = new Set(origins.map(domainOf));
    const [only] = origins;
    if (only === undefined || domains.size !== 1) return;
    connection["base_url"] = only;
    warn(["connections", name], `it has no base_url; its code leads to ${only}`);
  }
  const own = domainOf(connection["base_url"]);
  if (own === undefined) return;
  const { origin } = new URL(String(connection["base_url"]));
  const more = origins.filter((other) => other !== origin && domainOf(other) === own);
  if (more.length > 0) connection["hosts"] = more;
}

function domainIn(host: string): string {
  return registrableDomain(host) ?? host;
}

function completeUrl(map: AnyMap, key: string): void {
  const url = map[key];
  if (typeof url === "string" && !url.includes("://")) map[key] = `https://${url}`;
}

function adaptConnection(connection: AnyMap, name: string, { platform, warn, checks }: Context): void {
  const files = mapOf(connection["sqlite"]);
  if (files !== undefined) {
    const own = { darwin: "macos", win32: "windows" }[platform as string] ?? platform;
    connection["sqlite"] = files[own];
    if (files[own] === undefined) {
      delete connection["sqlite"];
      warn(
        ["connections", name, "sqlite"],
        `there is no file for this system, only for ${Object.keys(files).join(", ")}`,
      );
    }
  }
  completeUrl(connection, "help_url");
  if (typeof connection["client"] === "string") connection["mode"] ??= connection["client"];
  delete connection["client"];
  const mode = connection["mode"];
  if (typeof mode === "string") connection["mode"] = MODES.get(mode) ?? mode;
  const { header, query, body } = connection;
  if (connection["auth"] === undefined && (header ?? query ?? body) !== undefined) {
    connection["auth"] = defined({ type: "api_key", header, query, body });
    for (const key of ["header", "query", "body"]) delete connection[key];
  }
  const auth = mapOf(connection["auth"]);
  if (auth === undefined) return;
  const check = auth["check"] ?? mapOf(auth["account"])?.["check"];
  if (typeof check === "string") {
    checks.set(name, check);
    delete auth["check"];
  }
  delete auth["account"];
  if (auth["liveness"] !== undefined) auth["check"] ??= auth["liveness"];
  delete auth["liveness"];
  if (mapOf(auth["login"]) !== undefined && !isLoginWay(auth["login"])) {
    delete auth["login"];
    warn(
      ["connections", name, "auth", "login"],
      "a login by browser steps is not followed: sign in with a browser",
    );
  }
}

function isLoginWay(value: unknown): boolean {
  return ["sso", "email_link", "email_code", "operation"].some((key) => key in (mapOf(value) ?? {}));
}

/** `{cookies: {via}}` is an older spelling of `{auth: cookies, via}`. */
function providedBy(value: unknown): unknown {
  const entry = mapOf(value);
  if (entry === undefined || "tool" in entry || "auth" in entry) return entry;
  for (const auth of ["cookies", "oauth", "api_key"]) {
    const inside = mapOf(entry[auth]);
    if (inside !== undefined) return { auth, ...inside };
  }
  return undefined;
}

function stepsOf(operation: AnyMap): readonly unknown[] {
  const steps = mapOf(operation["steps"])?.["steps"] ?? operation["steps"];
  return Array.isArray(steps) ? steps : [];
}
