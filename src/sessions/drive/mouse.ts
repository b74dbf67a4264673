import type { Point } from "./reach.ts";
import type { TabPage } from "./tab-page.ts";

type Button = "left" | "middle" | "right";

const STEPS = 5;
const HELD = { left: 1, right: 2, middle: 4 } as const;

/** Moves there as a hand does, not at once. */
export async function moveMouse(page: TabPage, from: Point, to: Point): Promise<void> {
  for (let step = 1; step <= STEPS; step++) {
    const share = step / STEPS;
    const at = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    await page.call("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
  }
}

export async function clickMouse(
  page: TabPage,
  at: Point,
  { button = "left", times = 1 }: { button?: Button | undefined; times?: number } = {},
): Promise<void> {
  for (let clickCount = 1; clickCount <= times; clickCount++) {
    const event = { ...at, button, clickCount };
    await page.call("Input.dispatchMouseEvent", { type: "mousePressed", buttons: HELD[button], ...event });
    await page.call("Input.dispatchMouseEvent", { type: "mouseReleased", buttons: 0, ...event });
  }
}

export async function turnWheel(page: TabPage, at: Point, deltaX: number, deltaY: number): Promise<void> {
  await page.call("Input.dispatchMouseEvent", { type: "mouseWheel", ...at, deltaX, deltaY });
}
