import type { CdpResult } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { stringField } from "../browser/answers.ts";
import type { Element } from "./element.ts";
import type { TabPage } from "./tab-page.ts";

/** A picture larger than this is more than anybody looks at. */
const HIGHEST = 16_000;

/** PNG in base64: of what the window shows, of the whole page, or of one element. */
export async function screenshot(
  page: TabPage,
  { element, full = false }: { element?: Element | undefined; full?: boolean | undefined },
): Promise<string> {
  const clip = element !== undefined ? await boxOf(page, element) : full ? await wholePage(page) : undefined;
  const answer = await page.call("Page.captureScreenshot", {
    format: "png",
    ...(clip === undefined ? {} : { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }),
  });
  return stringField(answer, "data");
}

async function boxOf(page: TabPage, { name, objectId }: Element) {
  await page.call("DOM.scrollIntoViewIfNeeded", { objectId }).catch(() => {});
  const { quads } = await page.call("DOM.getContentQuads", { objectId }).catch((): CdpResult => ({}));
  const corners = (Array.isArray(quads) ? quads.flat() : []) as number[];
  if (corners.length === 0)
    throw new DeputyError("NOT_FOUND", `${name} is not shown`, {
      hint: "Wait for it first, or take the whole page.",
    });
  const { cssVisualViewport } = await page.call("Page.getLayoutMetrics");
  const { pageX, pageY } = cssVisualViewport as { pageX: number; pageY: number };
  const [xs, ys] = [0, 1].map((odd) => corners.filter((_, i) => i % 2 === odd)) as [number[], number[]];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return {
    x: left + pageX,
    y: top + pageY,
    width: Math.max(1, Math.max(...xs) - left),
    height: Math.max(1, Math.min(HIGHEST, Math.max(...ys) - top)),
  };
}

async function wholePage(page: TabPage) {
  const { cssContentSize } = await page.call("Page.getLayoutMetrics");
  const { width, height } = cssContentSize as { width: number; height: number };
  return { x: 0, y: 0, width, height: Math.min(height, HIGHEST) };
}
