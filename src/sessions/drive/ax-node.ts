/** `Accessibility.AXNode`, as far as it is used here. */
export interface AxNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role: string;
  readonly name: string;
  readonly value: string;
  readonly states: ReadonlyMap<string, Simple>;
  readonly children: readonly string[];
  /** The node of the page it stands for. */
  readonly node: number | undefined;
}

export type Simple = string | number | boolean;
type Told = Readonly<Record<string, unknown>>;

export function parseAxNode(value: unknown): AxNode {
  const told = value as Told;
  const text = (field: string) => String(simple(told[field]) ?? "");
  const states = new Map<string, Simple>();
  for (const { name, value: state } of listOf<Told>(told["properties"])) {
    const known = simple(state);
    if (typeof name === "string" && known !== undefined) states.set(name, known);
  }
  return {
    nodeId: String(told["nodeId"]),
    ignored: told["ignored"] === true,
    role: text("role"),
    name: text("name"),
    value: text("value"),
    states,
    children: listOf<string>(told["childIds"]),
    node: typeof told["backendDOMNodeId"] === "number" ? told["backendDOMNodeId"] : undefined,
  };
}

/** The value of an `AXValue` that is no list of nodes. */
function simple(value: unknown): Simple | undefined {
  const inner = (value as Told | undefined)?.["value"];
  return typeof inner === "string" || typeof inner === "number" || typeof inner === "boolean"
    ? inner
    : undefined;
}

function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? value : [];
}
