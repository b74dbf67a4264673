import { setTimeout as sleep } from "node:timers/promises";
import { DeputyError } from "../../kernel/index.ts";
import { permittedUrl } from "../endpoint/permitted-url.ts";
import type { Action } from "./action.ts";
import { type Element, getElement } from "./element.ts";
import { evaluate, evaluateOn } from "./evaluate.ts";
import { choose, fill, focus } from "./form-fields.ts";
import { pressKeys, typeText } from "./keyboard.ts";
import { clickMouse, moveMouse, turnWheel } from "./mouse.ts";
import { type Patience, type Point, reach } from "./reach.ts";
import type { References } from "./references.ts";
import { screenshot } from "./screenshot.ts";
import type { TabPage } from "./tab-page.ts";
import { waitFor } from "./wait-for.ts";

/** A tab as its driver remembers it from one action to the next. */
export interface DrivenTab {
  readonly references: References;
  mouse: Point;
}

export interface Performed {
  readonly did: string;
  readonly value?: unknown;
  readonly png?: string;
}

const WHEEL_MS = 150;

/** One action on a page. */
export async function perform(
  page: TabPage,
  tab: DrivenTab,
  action: Action,
  patience: Patience,
): Promise<Performed> {
  const { signal } = patience;
  const get = (name: string) => getElement(page, tab.references, name);
  const ready = async (name: string): Promise<Element> => {
    const element = await get(name);
    await reach(page, element, patience);
    return element;
  };
  const pointAt = async (name: string): Promise<Point> => {
    const to = await reach(page, await get(name), patience);
    await moveMouse(page, tab.mouse, to);
    tab.mouse = to;
    return to;
  };

  switch (action.do) {
    case "goto":
      await page.navigate(addressOf(action.url), signal);
      return { did: "Went there" };
    case "back":
      return { did: await goBack(page, signal) };
    case "snapshot":
      return { did: "Looked" };
    case "screenshot": {
      const element = action.element === undefined ? undefined : await get(action.element);
      return { did: "Took a picture", png: await screenshot(page, { element, full: action.full }) };
    }
    case "click": {
      const at = await pointAt(action.element);
      await clickMouse(page, at, { button: action.button, times: action.double === true ? 2 : 1 });
      await page.settle(signal);
      return { did: `Clicked ${action.element}` };
    }
    case "hover":
      await pointAt(action.element);
      return { did: `The mouse is at ${action.element}` };
    case "type":
      await focus(page, await ready(action.element));
      await typeText(page, action.text, signal);
      if (action.enter === true) await pressKeys(page, "Enter");
      if (action.enter === true || action.text.includes("\n")) await page.settle(signal);
      return { did: `Typed into ${action.element}` };
    case "fill":
      await fill(page, await ready(action.element), action.text);
      return { did: `Filled ${action.element}` };
    case "press":
      if (action.element !== undefined) await focus(page, await ready(action.element));
      await pressKeys(page, action.key);
      await page.settle(signal);
      return { did: `Pressed ${action.key}` };
    case "select":
      await choose(page, await ready(action.element), action.options);
      await page.settle(signal);
      return { did: `Selected ${action.options.length} in ${action.element}` };
    case "scroll":
      return { did: await scroll(page, action, get) };
    case "evaluate": {
      const { element, script } = action;
      const value =
        element === undefined
          ? await evaluate(page, script)
          : await evaluateOn(page, await get(element), script);
      await page.settle(signal);
      return { did: "Ran the script", value };
    }
    case "wait":
      await waitFor(page, tab.references, action, patience);
      return { did: "It is so" };
  }
}

export function addressOf(text: string): string {
  const url = permittedUrl(text);
  if (url !== undefined) return url;
  throw new DeputyError("BAD_INPUT", "Cannot go there: only http, https, data and blob addresses", {
    hint: "Give it whole, such as https://example.com/",
  });
}

async function goBack(page: TabPage, signal: AbortSignal): Promise<string> {
  const { currentIndex, entries } = await page.call("Page.getNavigationHistory");
  const before = (entries as { id: number; url: string }[])[Number(currentIndex) - 1];
  if (before === undefined || permittedUrl(before.url) === undefined)
    throw new DeputyError("NOT_FOUND", "There is no page before this one");
  await page.call("Page.navigateToHistoryEntry", { entryId: before.id });
  await page.settle(signal);
  return "Went back";
}

async function scroll(
  page: TabPage,
  { element: name, x = 0, y }: Action & { do: "scroll" },
  get: (name: string) => Promise<Element>,
): Promise<string> {
  if (name !== undefined) {
    const { objectId } = await get(name);
    await page.call("DOM.scrollIntoViewIfNeeded", { objectId });
    return `${name} is in view`;
  }
  const { cssLayoutViewport } = await page.call("Page.getLayoutMetrics");
  const { clientWidth, clientHeight } = cssLayoutViewport as { clientWidth: number; clientHeight: number };
  const down = y ?? (x === 0 ? Math.round(clientHeight * 0.85) : 0);
  await turnWheel(page, { x: clientWidth / 2, y: clientHeight / 2 }, x, down);
  await sleep(WHEEL_MS);
  return "Scrolled";
}
