import type { CdpResult } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { References } from "./references.ts";
import type { Frame, TabPage } from "./tab-page.ts";

/** An element of a page, held by our own world of its frame. */
export interface Element {
  /** As it was asked for. */
  readonly name: string;
  readonly frame: Frame;
  readonly objectId: string;
}

/** Also in open shadow trees. */
const QUERY = `function (selector) {
  const search = (root) => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const one of root.querySelectorAll("*")) {
      const inside = one.shadowRoot && search(one.shadowRoot);
      if (inside) return inside;
    }
    return null;
  };
  return search(document);
}`;

/** Undefined where there is none; a reference whose page is gone is a mistake, and said. */
export async function findElement(
  page: TabPage,
  references: References,
  name: string,
): Promise<Element | undefined> {
  const frames = await page.frames();
  if (/^e\d+$/.test(name)) return findReferred(page, references, frames, name);
  for (const frame of frames) {
    const executionContextId = await page.world(frame);
    const { result, exceptionDetails } = await page.call("Runtime.callFunctionOn", {
      functionDeclaration: QUERY,
      executionContextId,
      arguments: [{ value: name }],
    });
    if (exceptionDetails !== undefined)
      throw new DeputyError("BAD_INPUT", `${name} is neither a reference nor a CSS selector`, {
        hint: "References such as e12 come from a snapshot.",
      });
    const objectId = objectIdOf(result);
    if (objectId !== undefined) return { name, frame, objectId };
  }
  return undefined;
}

export async function getElement(page: TabPage, references: References, name: string): Promise<Element> {
  const element = await findElement(page, references, name);
  if (element !== undefined) return element;
  throw new DeputyError("NOT_FOUND", `There is no ${name} on the page`, {
    hint: "Take a snapshot to see what there is.",
  });
}

/** Calls a function of ours with the element as `this`, and gives what it returns. */
export async function onElement(
  page: TabPage,
  element: Element,
  functionDeclaration: string,
  ...values: readonly unknown[]
): Promise<unknown> {
  const { result, exceptionDetails } = await page.call("Runtime.callFunctionOn", {
    functionDeclaration,
    objectId: element.objectId,
    arguments: values.map((value) => ({ value })),
    returnByValue: true,
    awaitPromise: true,
    userGesture: true,
  });
  if (exceptionDetails !== undefined)
    throw new DeputyError("PROTOCOL", `The page did not let ${element.name} be used`, {
      hint: "It may have changed meanwhile: take a new snapshot.",
    });
  return (result as CdpResult | undefined)?.["value"];
}

/** A node of text stands for the element around it. */
async function findReferred(
  page: TabPage,
  references: References,
  frames: readonly Frame[],
  name: string,
): Promise<Element | undefined> {
  const referred = references.find(name);
  const frame = frames.find(({ id, loaderId }) => id === referred?.frame && loaderId === referred.loaderId);
  if (referred === undefined || frame === undefined)
    throw new DeputyError("NOT_FOUND", `${name} is of no page that is shown now`, {
      hint: "Take a new snapshot: references end with their page.",
    });
  const executionContextId = await page.world(frame);
  const wanted = { backendNodeId: referred.node, executionContextId };
  const { object } = await page.call("DOM.resolveNode", wanted).catch((): CdpResult => ({}));
  const node = objectIdOf(object);
  if (node === undefined) return undefined;
  const { result } = await page.call("Runtime.callFunctionOn", {
    functionDeclaration:
      "function () { const it = this.nodeType === 1 ? this : this.parentElement; return it?.isConnected ? it : null; }",
    objectId: node,
  });
  const objectId = objectIdOf(result);
  return objectId === undefined ? undefined : { name, frame, objectId };
}

function objectIdOf(object: unknown): string | undefined {
  const id = (object as CdpResult | undefined)?.["objectId"];
  return typeof id === "string" ? id : undefined;
}
