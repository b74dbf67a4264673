import { setTimeout as sleep } from "node:timers/promises";
import type { CdpResult } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { type Element, onElement } from "./element.ts";
import type { TabPage } from "./tab-page.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Patience {
  /** By `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal;
}

const PAUSE_MS = 60;

/** In turn, as bars that stick to an edge cover what was scrolled just into view. */
const SCROLL = `function (block) { this.scrollIntoView({ block, inline: "nearest", behavior: "instant" }); }`;
const BLOCKS = ["center", "end", "start"];
const IS_DISABLED = `function () { return this.matches(":disabled, [aria-disabled=true]"); }`;

/**
 * The middle of an element once a person could press there: it is shown, stands still, is not disabled, and nothing
 * lies over it. Throws TIMEOUT with what was in the way.
 */
export async function reach(page: TabPage, element: Element, patience: Patience): Promise<Point> {
  const { until, signal } = patience;
  for (let turn = 0; ; turn++) {
    const found = await look(page, element, turn, signal);
    if (typeof found !== "string") return found;
    if (performance.now() > until)
      throw new DeputyError("TIMEOUT", `Cannot use ${element.name}: ${found}`, {
        hint: "Take a snapshot or a screenshot to see what is in the way.",
      });
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** An element one can see, for what needs no pressing. */
export async function isShown(page: TabPage, element: Element): Promise<boolean> {
  return (await middleOf(page, element)) !== undefined;
}

async function look(
  page: TabPage,
  element: Element,
  turn: number,
  signal: AbortSignal,
): Promise<Point | string> {
  if ((await onElement(page, element, IS_DISABLED)) === true) return "it is disabled";
  if (turn === 0)
    await page.call("DOM.scrollIntoViewIfNeeded", { objectId: element.objectId }).catch(() => {});
  else await onElement(page, element, SCROLL, BLOCKS[(turn - 1) % BLOCKS.length]);
  const before = await middleOf(page, element);
  await sleep(PAUSE_MS, undefined, { signal });
  const point = await middleOf(page, element);
  if (before === undefined || point === undefined) return "it is not shown";
  if (Math.hypot(point.x - before.x, point.y - before.y) > 0.5) return "it keeps moving";
  return (await cover(page, element, point)) ?? point;
}

/** The middle of the largest part of it that is within the window. */
export async function middleOf(page: TabPage, element: Element): Promise<Point | undefined> {
  const { objectId } = element;
  const answer = await page.call("DOM.getContentQuads", { objectId }).catch((): CdpResult => ({}));
  const { cssLayoutViewport } = await page.call("Page.getLayoutMetrics");
  const { clientWidth, clientHeight } = cssLayoutViewport as { clientWidth: number; clientHeight: number };
  const quads = (Array.isArray(answer["quads"]) ? answer["quads"] : []) as number[][];
  let [best, most] = [undefined as Point | undefined, 0];
  for (const quad of quads) {
    const [left, right] = span(
      [0, 2, 4, 6].map((i) => quad[i] ?? 0),
      clientWidth,
    );
    const [top, bottom] = span(
      [1, 3, 5, 7].map((i) => quad[i] ?? 0),
      clientHeight,
    );
    const area = Math.max(0, right - left) * Math.max(0, bottom - top);
    if (area > most) [best, most] = [{ x: (left + right) / 2, y: (top + bottom) / 2 }, area];
  }
  return best;
}

function span(ends: readonly number[], limit: number): readonly [number, number] {
  return [Math.max(0, Math.min(...ends)), Math.min(limit, Math.max(...ends))];
}

/** Whether a node is the element, within it, or a label that stands for it. */
const BELONGS = `function (hit) {
  if (hit.nodeType !== 1) hit = hit.parentElement ?? hit.getRootNode().host;
  if (hit?.closest("label")?.control === this) return true;
  for (let at = hit; at; at = at.assignedSlot ?? at.parentNode ?? at.host) if (at === this) return true;
  return false;
}`;

/** What would be pressed at the point instead of the element, in words. */
async function cover(page: TabPage, element: Element, { x, y }: Point): Promise<string | undefined> {
  const { cssVisualViewport } = await page.call("Page.getLayoutMetrics");
  const { pageX, pageY } = cssVisualViewport as { pageX: number; pageY: number };
  const at = { x: Math.floor(x + pageX), y: Math.floor(y + pageY), includeUserAgentShadowDOM: false };
  const hit = await page.call("DOM.getNodeForLocation", at).catch((): CdpResult => ({}));
  const { backendNodeId } = hit;
  if (backendNodeId === undefined) return "nothing is at its place";
  if (await belongs(page, element, hit)) return undefined;
  const { node } = await page.call("DOM.describeNode", { backendNodeId });
  return `${inWords(node)} covers it`;
}

async function belongs(page: TabPage, element: Element, hit: CdpResult): Promise<boolean> {
  const { backendNodeId, frameId } = hit;
  const { node } = await page.call("DOM.describeNode", { objectId: element.objectId });
  // A frame is pressed by way of what it shows.
  if ((node as CdpResult | undefined)?.["frameId"] === frameId) return true;
  if (frameId !== element.frame.id) return false;
  const executionContextId = await page.world(element.frame);
  const { object } = await page.call("DOM.resolveNode", { backendNodeId, executionContextId });
  const { result } = await page.call("Runtime.callFunctionOn", {
    functionDeclaration: BELONGS,
    objectId: element.objectId,
    arguments: [{ objectId: (object as CdpResult)["objectId"] }],
    returnByValue: true,
  });
  return (result as CdpResult | undefined)?.["value"] === true;
}

function inWords(node: unknown): string {
  const { nodeName, attributes } = (node ?? {}) as { nodeName?: string; attributes?: string[] };
  const pairs = (attributes ?? []).flatMap((name, i) =>
    i % 2 === 0 && /^(id|class|role|aria-label)$/.test(name)
      ? [` ${name}="${attributes?.[i + 1]?.slice(0, 60)}"`]
      : [],
  );
  return nodeName?.startsWith("#") ? "a text" : `<${(nodeName ?? "").toLowerCase()}${pairs.join("")}>`;
}
