import { setTimeout as sleep } from "node:timers/promises";
import type { CdpResult } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Wait } from "./action.ts";
import { findElement } from "./element.ts";
import { isShown, type Patience } from "./reach.ts";
import type { References } from "./references.ts";
import type { TabPage } from "./tab-page.ts";

const EVERY_MS = 100;
const TEXT = "document.body?.innerText ?? ''";
const STATE = "document.readyState === 'complete'";

/** Until all that is named holds. Throws TIMEOUT with what did not. */
export async function waitFor(
  page: TabPage,
  references: References,
  wait: Wait,
  { until, signal }: Patience,
): Promise<void> {
  if (wait.ms !== undefined) await sleep(wait.ms, undefined, { signal });
  for (;;) {
    const missing = await firstMissing(page, references, wait);
    if (missing === undefined) return;
    if (performance.now() > until)
      throw new DeputyError("TIMEOUT", `Waited in vain: ${missing}`, {
        hint: "Take a snapshot to see what the page shows; --timeout waits longer.",
      });
    await sleep(EVERY_MS, undefined, { signal });
  }
}

async function firstMissing(page: TabPage, references: References, wait: Wait): Promise<string | undefined> {
  const { text, text_gone, element, gone, load } = wait;
  if (load === true && !(await inFrames(page, STATE)).every((one) => one === true))
    return "the page still loads";
  if (text !== undefined || text_gone !== undefined) {
    const shown = (await inFrames(page, TEXT)).map(plain).join(" ");
    if (text !== undefined && !shown.includes(plain(text))) return `${JSON.stringify(text)} is not there`;
    if (text_gone !== undefined && shown.includes(plain(text_gone)))
      return `${JSON.stringify(text_gone)} is still there`;
  }
  if (element !== undefined && !(await isThere(page, references, element))) return `${element} is not shown`;
  if (gone !== undefined && (await isThere(page, references, gone, true))) return `${gone} is still shown`;
  return undefined;
}

async function isThere(
  page: TabPage,
  references: References,
  name: string,
  mayBeOld = false,
): Promise<boolean> {
  try {
    const found = await findElement(page, references, name);
    return found !== undefined && (await isShown(page, found));
  } catch (error) {
    // What was of an earlier page is gone.
    if (mayBeOld && error instanceof DeputyError && error.code === "NOT_FOUND") return false;
    throw error;
  }
}

async function inFrames(page: TabPage, expression: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const frame of await page.frames()) {
    const seen = await page
      .world(frame)
      .then((contextId) => page.call("Runtime.evaluate", { expression, contextId, returnByValue: true }))
      .catch((): CdpResult => ({})); // it is on its way to another page
    all.push((seen["result"] as CdpResult | undefined)?.["value"]);
  }
  return all;
}

function plain(text: unknown): string {
  return (typeof text === "string" ? text : "").replace(/\s+/g, " ");
}
