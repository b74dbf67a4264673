import type { CdpResult } from "../../cdp/index.ts";
import { type AxNode, parseAxNode, type Simple } from "./ax-node.ts";
import type { References } from "./references.ts";
import type { Frame, TabPage } from "./tab-page.ts";

interface FrameTree {
  readonly frame: Frame;
  readonly root: AxNode | undefined;
  readonly nodes: ReadonlyMap<string, AxNode>;
}

const MOST_CHARACTERS = 60_000;
const MOST_TEXT = 300;
const MOST_DEPTH = 40;

/** What only groups others, and is not named, is left out; so is text that a name says already. */
const SILENT = new Set(["none", "generic", "InlineTextBox", "LineBreak", "RootWebArea", "ListMarker"]);
const STATES = ["checked", "pressed", "selected", "expanded", "disabled", "required", "invalid", "focused"];

/** A page as text: one element a line, inner ones indented, each with a name later actions take. */
export async function takeSnapshot(page: TabPage, references: References): Promise<string> {
  const frames = await page.frames();
  references.keepOnly(frames);
  const trees = new Map<string, FrameTree>();
  for (const frame of frames) {
    const { nodes } = await page
      .call("Accessibility.getFullAXTree", { frameId: frame.id })
      .catch((): CdpResult => ({})); // it may be gone meanwhile
    const parsed = (Array.isArray(nodes) ? nodes : []).map(parseAxNode);
    const byId = new Map(parsed.map((node) => [node.nodeId, node]));
    trees.set(frame.id, { frame, root: parsed[0], nodes: byId });
  }
  const inner = await frameOwners(page, frames);
  const lines: string[] = [];
  const [main] = frames;
  const tree = main === undefined ? undefined : trees.get(main.id);
  if (tree?.root !== undefined) writeNode(tree.root, "", 0, tree);
  return cut(lines);

  function writeNode(node: AxNode, around: string, depth: number, within: FrameTree): void {
    const silent = node.ignored || (SILENT.has(node.role) && node.name === "");
    const said = SILENT.has(node.role) && node.role !== "generic";
    const repeated = node.role === "StaticText" && around.includes(node.name.trim());
    let next = depth;
    if (!silent && !said && !repeated && depth < MOST_DEPTH) {
      lines.push(`${"  ".repeat(depth)}- ${lineOf(node, within.frame)}`);
      next = depth + 1;
    }
    const owned = node.node === undefined ? undefined : inner.get(node.node);
    if (owned !== undefined || /^iframe/i.test(node.role)) {
      const shown = trees.get(owned ?? "");
      if (shown?.root !== undefined) writeNode(shown.root, "", next, shown);
      else lines.push(`${"  ".repeat(next)}- (a frame of another site: use session endpoint to see into it)`);
      return;
    }
    if (node.role === "StaticText") return;
    const name = silent || said ? around : node.name;
    for (const id of node.children) {
      const child = within.nodes.get(id);
      if (child !== undefined) writeNode(child, name, next, within);
    }
  }

  function lineOf({ role, name, value, states, node }: AxNode, frame: Frame): string {
    const reference = node === undefined ? [] : [references.nameOf(frame, node)];
    const marks = STATES.flatMap((state) => mark(state, states.get(state)));
    const level = states.get("level");
    const url = role === "link" ? states.get("url") : undefined;
    return [
      role === "StaticText" ? "text" : role,
      ...(name === "" ? [] : [quoted(name)]),
      ...[...reference, ...marks, ...(level === undefined ? [] : [`level=${level}`])].map(
        (one) => `[${one}]`,
      ),
      ...(value === "" || value === name ? [] : [`= ${quoted(value)}`]),
      ...(typeof url === "string" ? [`-> ${shortUrl(url, frame)}`] : []),
    ].join(" ");
  }
}

/** Which node shows which frame. */
async function frameOwners(page: TabPage, frames: readonly Frame[]): Promise<Map<number, string>> {
  const owners = new Map<number, string>();
  for (const { id } of frames.slice(1)) {
    const { backendNodeId } = await page
      .call("DOM.getFrameOwner", { frameId: id })
      .catch((): CdpResult => ({}));
    if (typeof backendNodeId === "number") owners.set(backendNodeId, id);
  }
  return owners;
}

function mark(state: string, value: Simple | undefined): string[] {
  if (value === undefined || value === false || value === "false") return [];
  return [value === true || value === "true" ? state : `${state}=${value}`];
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return JSON.stringify(line.length > MOST_TEXT ? `${line.slice(0, MOST_TEXT)}…` : line);
}

function shortUrl(url: string, frame: Frame): string {
  const origin = URL.canParse(frame.url) ? new URL(frame.url).origin : "";
  const short = origin !== "null" && url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  return short.length > 200 ? `${short.slice(0, 200)}…` : short;
}

function cut(lines: readonly string[]): string {
  let characters = 0;
  const fits = lines.findIndex((line) => (characters += line.length + 1) > MOST_CHARACTERS);
  if (fits === -1) return lines.join("\n");
  return [...lines.slice(0, fits), `(${lines.length - fits} more lines: the page is too long)`].join("\n");
}
