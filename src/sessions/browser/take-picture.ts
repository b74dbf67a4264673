import { DeputyError } from "../../kernel/index.ts";
import type { OpenSession } from "../open-session.ts";
import { stringField } from "./answers.ts";

/** A tab as somebody would see it: a PNG in base64. Without a tab's id, the one opened last. */
export async function takePicture(
  session: OpenSession,
  tabId?: string,
): Promise<{ png: string; url: string; title: string }> {
  const { connection, browser } = session;
  const tabs = await session.tabs();
  const tab = tabId === undefined ? tabs.at(-1) : tabs.find(({ id }) => id === tabId);
  if (tab === undefined) {
    throw new DeputyError(
      "NOT_FOUND",
      tabId === undefined ? "The session has no tab" : "There is no such tab",
      {
        hint: "Open one: deputy session tab --session ID --url https://example.com/",
      },
    );
  }
  const page = await browser.targets.page(tab.id);
  // A page behind others may draw nothing, and its picture would be waited for in vain.
  await connection.call("Page.bringToFront", {}, page);
  const answer = await connection.call("Page.captureScreenshot", { format: "png" }, page);
  return { png: stringField(answer, "data"), url: tab.url, title: tab.title };
}
