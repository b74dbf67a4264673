import type { CdpResult } from "../../cdp/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Element } from "./element.ts";
import type { TabPage } from "./tab-page.ts";

const MOST_CHARACTERS = 1_000_000;

/** What a script comes to in the page itself, as JSON; `await` may stand anywhere in it. */
export async function evaluate(page: TabPage, script: string): Promise<unknown> {
  return valueOf(
    await page.call("Runtime.evaluate", {
      expression: script,
      replMode: true,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    }),
  );
}

/** The same for a function of the element, which runs in our world of its frame. */
export async function evaluateOn(page: TabPage, element: Element, script: string): Promise<unknown> {
  return valueOf(
    await page.call("Runtime.callFunctionOn", {
      functionDeclaration: `function () { return (${script}\n)(this); }`,
      objectId: element.objectId,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    }),
  );
}

function valueOf({ result, exceptionDetails }: CdpResult): unknown {
  if (exceptionDetails !== undefined) {
    const { text, exception } = exceptionDetails as CdpResult;
    const { description, value } = (exception ?? {}) as CdpResult;
    const reason = String(description ?? value ?? text).split("\n")[0] ?? "";
    throw new DeputyError("BAD_INPUT", `The script failed: ${reason.slice(0, 500)}`);
  }
  const { value = null } = (result ?? {}) as CdpResult;
  if ((JSON.stringify(value) ?? "").length > MOST_CHARACTERS)
    throw new DeputyError("TOO_LARGE", "The script came to more than a megabyte", {
      hint: "Give back less: a part of it, or a count.",
    });
  return value;
}
