import { setTimeout as sleep } from "node:timers/promises";
import type { CdpConnection } from "../../cdp/index.ts";
import { stringField } from "../browser/answers.ts";
import type { Action } from "../drive/action.ts";
import { addressOf, perform } from "../drive/perform.ts";
import { References } from "../drive/references.ts";
import { TabPage } from "../drive/tab-page.ts";
import type { Capture, WantedNavigation } from "./exchange.ts";
import { MOST_BODIES, Recorder } from "./recorder.ts";
import { urlPattern } from "./url-pattern.ts";
import { watchNavigations } from "./wanted-navigations.ts";

export interface CaptureRequest {
  readonly url: string;
  /** How long the page is watched after it is loaded, and again after an action. */
  readonly waitMs: number;
  readonly pattern?: string | undefined;
  /** Once the page is loaded. */
  readonly action?: Action | undefined;
  /** What the page wants to go to after that is told and not gone to. */
  readonly keepFromLeaving?: boolean | undefined;
}

const ACTION_MS = 10_000;
const BUFFER = 32 * 1024 * 1024;

/** Everything a page and its frames and workers send and receive from its first request on. */
export async function captureTab(
  connection: CdpConnection,
  targetId: string,
  request: CaptureRequest,
  signal: AbortSignal,
): Promise<Capture> {
  const url = addressOf(request.url);
  const budget = { left: MOST_BODIES };
  const recorders: Recorder[] = [];
  using listeners = new DisposableStack();
  await using page = await TabPage.attach(connection, targetId);

  const record = async (session: string): Promise<void> => {
    const call = (method: string, params = {}) => connection.call(method, params, session);
    const recorder = new Recorder(call, budget);
    recorders.push(recorder);
    listeners.use(
      connection.on(session, (event) => {
        recorder.hear(event);
        // A frame of another site, and a worker, are targets of their own, and wait until they are listened to.
        if (event.method === "Target.attachedToTarget")
          record(stringField(event.params, "sessionId")).catch(() => {});
      }),
    );
    const filter = [{ type: "iframe" }, { type: "worker" }, { exclude: true }];
    await Promise.all([
      call("Network.enable", { maxTotalBufferSize: BUFFER, maxResourceBufferSize: BUFFER / 4 }),
      call("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter }),
      call("Runtime.runIfWaitingForDebugger"),
    ]);
  };
  await record(page.session);

  const navigations: WantedNavigation[] = [];
  const navigated = page.navigate(url, signal);
  // A page that cannot be opened is captured all the same: what it was refused with is what one wants to see.
  const failed = await navigated.then(
    () => undefined,
    (error: unknown) => error,
  );
  signal.throwIfAborted();
  await sleep(request.waitMs, undefined, { signal });
  if (request.keepFromLeaving === true) listeners.use(await watchNavigations(page, navigations));
  if (request.action !== undefined) {
    const tab = { references: new References(), mouse: { x: 0, y: 0 } };
    await perform(page, tab, request.action, { until: performance.now() + ACTION_MS, signal });
  }
  if (request.action !== undefined || request.keepFromLeaving === true)
    await sleep(request.waitMs, undefined, { signal });

  const fits = request.pattern === undefined ? () => true : urlPattern(request.pattern);
  const all = (await Promise.all(recorders.map((one) => one.exchanges()))).flat();
  if (failed !== undefined && all.length === 0) throw failed;
  const leftOut = recorders.reduce((sum, one) => sum + one.leftOut, 0);
  return {
    url,
    exchanges: all.filter((one) => fits(one.url)).sort((a, b) => a.started - b.started),
    navigations,
    warnings: leftOut === 0 ? [] : [`${leftOut} more were left out`],
  };
}
