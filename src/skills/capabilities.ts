import { DeputyError } from "../kernel/index.ts";
import { nearest } from "./nearest.ts";
import type { Operation, Param, Provided, Skill } from "./skill.ts";
import { matchUrl } from "./url-pattern.ts";

/** One skill's way to do what a tool promises. */
export interface CapabilityProvider {
  readonly skill: Skill;
  readonly operation: Operation;
  /** Addresses it is for; none: any. */
  readonly urls: readonly string[];
}

/** What agents see as one tool, whoever provides it. */
export interface Capability {
  readonly tool: string;
  readonly description: string;
  /** Those every provider takes, of one type; required where any of them requires it. */
  readonly params: readonly Param[];
  readonly providers: readonly CapabilityProvider[];
}

/** Whether a provider could be used now. `granted`: there is a login and the caller may use it. */
export type Standing = "granted" | "anonymous" | "not-granted" | "no-login";

export interface Route {
  readonly provider: CapabilityProvider;
  readonly why: "asked-for" | "address" | "login" | "anonymous" | "nothing-ready";
}

interface Call {
  readonly params: Readonly<Record<string, unknown>>;
  readonly skill?: string | undefined;
}

type Tool = Extract<Provided, { kind: "tool" }>;

/** Every tool that skills provide, by name. */
export function capabilitiesOf(skills: readonly Skill[]): readonly Capability[] {
  const byTool = new Map<string, { provider: CapabilityProvider; provided: Tool }[]>();
  for (const skill of skills) {
    for (const provided of skill.provides) {
      const operation = skill.operations.get(provided.via);
      if (provided.kind !== "tool" || operation === undefined || operation.resolverOnly) continue;
      const provider = { skill, operation, urls: provided.urls };
      byTool.getOrInsertComputed(provided.tool, () => []).push({ provider, provided });
    }
  }
  return [...byTool]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([tool, all]) => {
      const providers = all.map(({ provider }) => provider);
      return { tool, description: describe(all), params: commonParams(providers), providers };
    });
}

/** Which skill does it: the one asked for, one for the address, one with a login, one that needs none. */
export function route(
  capabilities: readonly Capability[],
  tool: string,
  call: Call,
  standing: (provider: CapabilityProvider) => Standing,
): Route {
  const capability = capabilities.find((one) => one.tool === tool);
  if (capability === undefined) throw unknownTool(capabilities, tool);
  const { providers } = capability;
  if (call.skill !== undefined) {
    const own = providers.filter(({ skill }) => skill.id === call.skill);
    const provider = bestFor(own, call) ?? best(own, call, standing);
    if (provider !== undefined) return { provider, why: "asked-for" };
    throw notOf(capability, call.skill);
  }
  const forAddress = bestFor(providers, call, standing);
  if (forAddress !== undefined) return { provider: forAddress, why: "address" };
  const general = providers.filter(({ urls }) => urls.length === 0);
  const provider = best(general, call, standing);
  if (provider === undefined) throw noneFor(capability);
  switch (standing(provider)) {
    case "granted":
      return { provider, why: "login" };
    case "anonymous":
      return { provider, why: "anonymous" };
    default:
      return { provider, why: "nothing-ready" };
  }
}

export const BEST_FIRST: readonly Standing[] = ["granted", "anonymous", "not-granted", "no-login"];

/** The first of the best standing; of equals one that takes what was given. */
function best(
  providers: readonly CapabilityProvider[],
  call: Call,
  standing: (provider: CapabilityProvider) => Standing,
): CapabilityProvider | undefined {
  const rank = (one: CapabilityProvider) =>
    BEST_FIRST.indexOf(standing(one)) * 2 + (takes(one.operation, call.params) ? 0 : 1);
  return providers.toSorted((a, b) => rank(a) - rank(b))[0];
}

/** Of those with a pattern for an address among the parameters, the one whose pattern says most. */
function bestFor(
  providers: readonly CapabilityProvider[],
  call: Call,
  standing: (provider: CapabilityProvider) => Standing = () => "anonymous",
): CapabilityProvider | undefined {
  const length = ({ urls, operation }: CapabilityProvider) => {
    const addresses = addressesIn(call.params, operation);
    const matching = urls.filter((pattern) => addresses.some((url) => matchUrl(pattern, url)));
    return Math.max(0, ...matching.map((pattern) => pattern.length));
  };
  const longest = Math.max(0, ...providers.map(length));
  if (longest === 0) return undefined;
  return best(
    providers.filter((one) => length(one) === longest),
    call,
    standing,
  );
}

/** What is an address by its type or its look: words one searches for are none. */
function addressesIn(given: Call["params"], { params }: Operation): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    return params.get(name)?.type === "url" || /^https?:\/\//i.test(value) ? [value] : [];
  });
}

function takes({ params }: Operation, given: Call["params"]): boolean {
  const known = Object.keys(given).every((name) => params.has(name));
  return known && [...params.values()].every(({ name, required }) => !required || name in given);
}

function commonParams(providers: readonly CapabilityProvider[]): Param[] {
  const [first, ...others] = providers.map(({ operation }) => operation.params);
  return [...(first?.values() ?? [])].flatMap((param) => {
    const same = others.map((params) => params.get(param.name)).filter((one) => one !== undefined);
    if (same.length < others.length || same.some(({ type }) => type !== param.type)) return [];
    const all = [param, ...same];
    const required = all.some((one) => one.required);
    return [
      {
        name: param.name,
        type: param.type,
        required,
        default: !required && all.every((one) => one.default === param.default) ? param.default : undefined,
        enum: commonChoices(all),
        description: all.find((one) => one.description !== null)?.description ?? null,
      },
    ];
  });
}

/** What every provider with a list accepts. */
function commonChoices(all: readonly Param[]): Param["enum"] {
  const lists = all.flatMap((one) => (one.enum === null ? [] : [one.enum]));
  const [first, ...others] = lists;
  return first === undefined ? null : first.filter((choice) => others.every((list) => list.includes(choice)));
}

function describe(all: readonly { provider: CapabilityProvider; provided: Tool }[]): string {
  const own = all.find(({ provided }) => provided.description !== null)?.provided.description;
  const [first] = all.filter(({ provider }) => provider.urls.length === 0);
  return own ?? (first ?? all[0])?.provider.operation.description ?? "";
}

function unknownTool(capabilities: readonly Capability[], tool: string): DeputyError {
  const tools = capabilities.map((one) => one.tool);
  const near = nearest(tool, tools);
  const all = tools.length === 0 ? "No skill provides one." : `There is ${tools.join(", ")}.`;
  return new DeputyError("NOT_FOUND", `No skill provides ${tool.slice(0, 64)}`, {
    hint: near === undefined ? all : `Did you mean ${near}?`,
  });
}

function notOf({ tool, providers }: Capability, skill: string): DeputyError {
  const ids = [...new Set(providers.map((one) => one.skill.id))];
  return new DeputyError("NOT_FOUND", `${skill.slice(0, 64)} does not provide ${tool}`, {
    hint: `${ids.join(", ")} ${ids.length === 1 ? "does" : "do"}.`,
  });
}

function noneFor({ tool, providers }: Capability): DeputyError {
  const patterns = [...new Set(providers.flatMap(({ urls }) => urls))];
  return new DeputyError("NOT_FOUND", `Nothing that provides ${tool} is for that address`, {
    hint: `There is something for ${patterns.join(", ")}.`,
  });
}
