import { PolicyFile } from "../../access/index.ts";
import { createLoginStore } from "../../auth/index.ts";
import { userDataOf } from "../../chromium/index.ts";
import { cookieKey, hostMatches, parseHostPattern } from "../../cookies/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import { type Delivery, deliverAll, quitBrowser, type Surface } from "../../surfaces/index.ts";
import { foldDomain } from "../../vault/index.ts";
import { join } from "node:path";
import { readBrowserStates } from "./browser-states.ts";
import type { DeliverInput, DeliverMethods, DeliveryRow, PolicyShown } from "./deliver-methods.ts";
import { deliverableLogins } from "./deliverable-logins.ts";
import { DeliverQueue } from "./deliver-queue.ts";
import { watchDeliveries } from "./deliver-watch.ts";
import { DeliveryLedger } from "./delivery-ledger.ts";
import { followLogouts } from "./follow-logouts.ts";
import type { LastResults } from "./last-results.ts";
import { makeSurfaces, type SurfaceParts } from "./make-surfaces.ts";
import type { Calls } from "../methods.ts";
import { ownDomains } from "../sync/source-logins.ts";
import type { SurfaceConfig } from "./surface-config.ts";
import type { VaultDoor } from "../vault/vault-door.ts";

interface Parts extends Omit<SurfaceParts, "pasted"> {
  readonly door: VaultDoor;
  /** Read anew: the owner may just have changed it. */
  readonly config: () => SurfaceConfig;
  /** Has a newer login of the domain in a browser adopted into the vault, where there is one. */
  readonly refresh: (domain: string) => Promise<unknown>;
  readonly results: LastResults;
  readonly onFault: (error: unknown) => void;
}

interface DeliverCalls extends AsyncDisposable {
  readonly calls: Calls<keyof DeliverMethods>;
  readonly policy: PolicyFile;
  /** Deliveries that wait for a browser to exit: the engine must not go while there are some. */
  readonly waiting: readonly string[];
}

export function createDeliverCalls(parts: Parts): DeliverCalls {
  const { door, clock, paths } = parts;
  const policyPath = join(paths.home, "policy.yaml");
  const policy = new PolicyFile({ path: policyPath, matches: hostMatches, parsePattern: parseHostPattern });
  const queue = new DeliverQueue({ door, paths, deliver, onFault: parts.onFault });
  const pasted = new Map<string, string>();
  let turn: Promise<unknown> = Promise.resolve();

  /** One delivery at a time: two would only wait for each other's locks. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work);
    turn = mine.catch(() => {});
    return mine;
  }

  async function deliver(input: DeliverInput, signal: AbortSignal): Promise<DeliveryRow[]> {
    const surfaces = makeSurfaces({ ...parts, pasted }, parts.config(), input);
    return inTurn(() => run(surfaces, input, signal));
  }

  async function run(
    surfaces: readonly Surface[],
    input: DeliverInput,
    signal: AbortSignal,
  ): Promise<DeliveryRow[]> {
    const vault = await door.get();
    const ledger = new DeliveryLedger(vault);
    const logins = deliverableLogins({ vault, clock, accounts: parts.config().accounts }, input);
    const only = input.domains === undefined ? undefined : new Set(input.domains.map(foldDomain));
    const rules = policy.policy();
    const undecided = new Set(logins.refused.map(({ domain }) => domain));
    const rows: DeliveryRow[] = [];
    for (const surface of surfaces) {
      const left = ledger
        .leftovers(nameOf(surface), logins.want, clock.now(), only)
        .filter((one) => !undecided.has(foldDomain(one.domain)));
      // A cookie that was deleted in its row is left over as well: one deletion.
      const gone = [...new Map([...left, ...logins.gone].map((one) => [cookieKey(one), one])).values()];
      const once = () =>
        deliverAll({
          surfaces: [surface],
          want: logins.want,
          gone,
          allows: (what, to) => rules.allows(what, to),
          signal,
          deviceBound: input.device_bound === true,
        });
      let [delivery] = await once();
      if ((delivery?.queued ?? 0) > 0 && input.restart_browser === true)
        delivery = await restarting(surface, once);
      if (delivery === undefined) continue;
      if (delivery.error === undefined && (delivery.queued ?? 0) === 0) {
        const refused = new Set(delivery.refused.map(({ name, domain }) => `${domain} ${name}`));
        const placed = logins.want.filter(({ name, domain }) => !refused.has(`${domain} ${name}`));
        ledger.record(nameOf(surface), placed, left);
      }
      if ((delivery.queued ?? 0) > 0) await queue.add(surface.target, input);
      else await queue.remove(surface.target);
      const row = asRow({ ...delivery, refused: [...logins.refused, ...delivery.refused] });
      rows.push(row);
      parts.results.noteDelivery({ ...row, ...summaryOf(row) });
    }
    return rows;
  }

  async function restarting(
    surface: Surface,
    deliverNow: () => Promise<Delivery[]>,
  ): Promise<Delivery | undefined> {
    const startAgain = await quitBrowser(userDataOf(surface.target), join(paths.logs, "browser.log"));
    try {
      return (await deliverNow())[0];
    } finally {
      startAgain?.();
    }
  }

  function policyStamp(): string {
    try {
      return JSON.stringify(policy.read());
    } catch {
      return "unreadable";
    }
  }

  /** Whatever says that a delivery would be another now. */
  const stateNow = async () =>
    `${(await door.get()).epoch} ${JSON.stringify(parts.config())} ${policyStamp()}`;

  async function followBrowsers(input: DeliverInput): Promise<void> {
    const vault = await door.get();
    const browsers = await readBrowserStates(parts.browsers);
    const store = createLoginStore({ vault, clock });
    followLogouts({ vault, store, clock, browsers, domains: ownDomains(vault) });
    const { accounts } = parts.config();
    const { domains } = deliverableLogins({ vault, clock, accounts }, input);
    for (const domain of domains) await parts.refresh(domain).catch(() => {}); // a login that is gone is no failure
  }

  const shown = (): PolicyShown => ({ path: policyPath, ...policy.read() });

  return {
    policy,
    get waiting() {
      return queue.profiles;
    },
    calls: {
      deliver: async (input, { signal }) => ({ surfaces: await deliver(input, signal) }),
      "deliver.watch": async (input, { signal, progress }) => ({
        rounds: await watchDeliveries({
          paths,
          browsers: parts.browsers,
          signal,
          follow: () => followBrowsers(input),
          stateNow,
          deliver: () => deliver(input, signal),
          tell: (surfaces) => progress({ message: "delivered", surfaces }),
        }),
      }),
      "policy.show": async () => shown(),
      "policy.set": async ({ list, pattern, only = false }) => {
        if (only && list === "block")
          throw new DeputyError("BAD_USAGE", "--only is for what is allowed", { hint: "Leave it out." });
        policy.set(list, pattern, only);
        return shown();
      },
    },
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]();
      await turn;
    },
  };
}

function nameOf({ id, target }: Surface): string {
  return `${id} ${target}`;
}

function asRow({ error, ...row }: Delivery): DeliveryRow {
  return error === undefined ? row : { ...row, error: error.toJSON() };
}

function summaryOf({ refused, queued = 0, error }: DeliveryRow) {
  return { refused: refused.length - queued, queued, error: error?.message ?? null };
}
