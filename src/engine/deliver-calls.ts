import { setTimeout as sleep } from "node:timers/promises";
import { PolicyFile } from "../access/index.ts";
import { findBrowserUse, userDataOf } from "../chromium/index.ts";
import { hostMatches, parseHostPattern } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { type Delivery, deliverAll, quitBrowser, type Surface } from "../surfaces/index.ts";
import { foldDomain } from "../vault/index.ts";
import { join } from "node:path";
import type { DeliverInput, DeliverMethods, DeliveryRow, PolicyShown } from "./deliver-methods.ts";
import { deliverableLogins } from "./deliverable-logins.ts";
import { DeliveryLedger } from "./delivery-ledger.ts";
import { makeSurfaces, type SurfaceParts } from "./make-surfaces.ts";
import type { CallContext, Calls } from "./methods.ts";
import type { SurfaceConfig } from "./surface-config.ts";
import type { VaultDoor } from "./vault-door.ts";

interface Parts extends SurfaceParts {
  readonly door: VaultDoor;
  /** Read anew: the owner may just have changed it. */
  readonly config: () => SurfaceConfig;
  /** Has a newer login of the domain in a browser adopted into the vault, where there is one. */
  readonly refresh: (domain: string) => Promise<unknown>;
}

/** A changed store is seen within this; then a moment for the rest of the change. */
const LOOK_MS = 250;
const SETTLE_MS = 150;
const QUEUE_LOOK_MS = 500;

export interface DeliverCalls extends AsyncDisposable {
  readonly calls: Calls<keyof DeliverMethods>;
  readonly policy: PolicyFile;
  /** Deliveries that wait for a browser to exit: the engine must not go while there are some. */
  readonly waiting: number;
}

export function createDeliverCalls(parts: Parts): DeliverCalls {
  const { door, clock, paths } = parts;
  const policyPath = join(paths.home, "policy.yaml");
  const policy = new PolicyFile({ path: policyPath, matches: hostMatches, parsePattern: parseHostPattern });
  /** By profile: what to deliver there once its browser is closed. Values stay in the vault until then. */
  const queue = new Map<string, DeliverInput>();
  const disposed = new AbortController();
  let turn: Promise<unknown> = Promise.resolve();

  /** One delivery at a time: two would only wait for each other's locks. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work);
    turn = mine.catch(() => {});
    return mine;
  }

  async function deliver(input: DeliverInput, signal: AbortSignal): Promise<DeliveryRow[]> {
    const surfaces = makeSurfaces(parts, parts.config(), input);
    return inTurn(() => run(surfaces, input, signal));
  }

  async function run(
    surfaces: readonly Surface[],
    input: DeliverInput,
    signal: AbortSignal,
  ): Promise<DeliveryRow[]> {
    const vault = await door.get();
    const ledger = new DeliveryLedger(vault);
    const logins = deliverableLogins({ vault, clock }, input);
    const only = input.domains === undefined ? undefined : new Set(input.domains.map(foldDomain));
    const rules = policy.policy();
    const undecided = new Set(logins.refused.map(({ domain }) => domain));
    const rows: DeliveryRow[] = [];
    for (const surface of surfaces) {
      const left = ledger
        .leftovers(nameOf(surface), logins.want, clock.now(), only)
        .filter((one) => !undecided.has(foldDomain(one.domain)));
      const gone = [...logins.gone, ...left];
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
      if ((delivery.queued ?? 0) > 0) waitFor(surface.target, input);
      else queue.delete(surface.target);
      rows.push(asRow({ ...delivery, refused: [...logins.refused, ...delivery.refused] }));
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

  function waitFor(profile: string, input: DeliverInput): void {
    const { restart_browser: _restart, ...again } = input;
    const isNew = !queue.has(profile);
    queue.set(profile, { ...again, surface: "chromium", profile });
    if (isNew) void watchProfile(profile);
  }

  async function watchProfile(profile: string): Promise<void> {
    while (!disposed.signal.aborted && queue.has(profile)) {
      await sleep(QUEUE_LOOK_MS, undefined, { signal: disposed.signal, ref: false }).catch(() => {});
      const input = queue.get(profile);
      if (disposed.signal.aborted || input === undefined) return;
      if ((await findBrowserUse(userDataOf(profile))).kind !== "closed") continue;
      queue.delete(profile);
      // What went wrong shows in the next delivery the owner asks for: nobody is listening to this one.
      await deliver(input, disposed.signal).catch(() => {});
    }
  }

  async function watch(input: DeliverInput, { signal, progress }: CallContext): Promise<number> {
    let rounds = 0;
    let seen: string | undefined;
    let stamps: string | undefined;
    while (!signal.aborted) {
      const now = await browserStamps();
      if (stamps !== undefined && now !== stamps) await refreshAll(input);
      stamps = now;
      const state = `${(await door.get()).epoch} ${JSON.stringify(parts.config())} ${policyStamp()}`;
      if (state !== seen) {
        if (seen !== undefined) await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
        const surfaces = await deliver(input, signal);
        // The ledger's own line in the vault makes another round, in which nothing moves.
        if (seen === undefined || surfaces.some(hasNews)) {
          rounds += 1;
          progress({ message: "delivered", surfaces });
        }
        seen = state;
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    return rounds;
  }

  function policyStamp(): string {
    try {
      return JSON.stringify(policy.read());
    } catch {
      return "unreadable";
    }
  }

  async function browserStamps(): Promise<string> {
    const profiles = parts.browsers.list();
    return (await Promise.all(profiles.map((profile) => parts.browsers.reader(profile).stamp()))).join("\n");
  }

  async function refreshAll(input: DeliverInput): Promise<void> {
    const { domains } = deliverableLogins({ vault: await door.get(), clock }, input);
    for (const domain of domains) await parts.refresh(domain).catch(() => {}); // a login that is gone is no failure
  }

  const shown = (): PolicyShown => ({ path: policyPath, ...policy.read() });

  return {
    policy,
    get waiting() {
      return queue.size;
    },
    calls: {
      deliver: async (input, { signal }) => ({ surfaces: await deliver(input, signal) }),
      "deliver.watch": async (input, context) => ({ rounds: await watch(input, context) }),
      "policy.show": async () => shown(),
      "policy.set": async ({ list, pattern, only = false }) => {
        if (only && list === "block")
          throw new DeputyError("BAD_USAGE", "--only is for what is allowed", { hint: "Leave it out." });
        policy.set(list, pattern, only);
        return shown();
      },
    },
    async [Symbol.asyncDispose]() {
      disposed.abort();
      await turn;
    },
  };
}

function nameOf({ id, target }: Surface): string {
  return `${id} ${target}`;
}

function hasNews({ delivered, deleted, error }: DeliveryRow): boolean {
  return delivered > 0 || deleted > 0 || error !== undefined;
}

function asRow({ error, ...row }: Delivery): DeliveryRow {
  return error === undefined ? row : { ...row, error: error.toJSON() };
}
