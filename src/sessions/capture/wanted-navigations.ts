import type { TabPage } from "../drive/tab-page.ts";
import type { Header, WantedNavigation } from "./exchange.ts";

const BINDING = "deputyNavigation";
/** The Navigation API tells of it before a request is made, and lets it be prevented. */
const LISTEN = `navigation.addEventListener("navigate", (event) => {
  const form = event.formData && [...event.formData].map(([name, value]) => [name, String(value)]);
  globalThis.${BINDING}(JSON.stringify({ url: event.destination.url, type: event.navigationType, form }));
  if (event.cancelable) event.preventDefault();
})`;

/** From now on the page goes nowhere: where it wanted to is kept. */
export async function watchNavigations(page: TabPage, wanted: WantedNavigation[]): Promise<Disposable> {
  const listening = page.on(({ method, params }) => {
    if (method !== "Runtime.bindingCalled" || params["name"] !== BINDING) return;
    const { url, type, form } = JSON.parse(String(params["payload"])) as {
      url: string;
      type: string;
      form?: Header[] | null;
    };
    wanted.push({ url, type, form: form ?? null });
  });
  const [main] = await page.frames();
  if (main !== undefined) {
    const contextId = await page.world(main);
    await page.call("Runtime.enable");
    await page.call("Runtime.addBinding", { name: BINDING, executionContextName: "deputy" });
    await page.call("Runtime.evaluate", { expression: LISTEN, contextId });
  }
  return listening;
}
