import { boundReason, type Cookie } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { fileError } from "../platform/index.ts";
import {
  type Deletion,
  type Delivery,
  failedDelivery,
  newestOfEach,
  type Refusal,
  refuse,
  type Surface,
} from "./surface.ts";

/** What the owner lets move; asked for every cookie and every surface. */
export type Allows = (
  cookie: { readonly domain: string },
  to: { readonly kind: "surface"; readonly name: string },
) => { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface DeliverOptions {
  readonly surfaces: readonly Surface[];
  readonly want: readonly Cookie[];
  readonly gone: readonly Deletion[];
  readonly allows: Allows;
  /** Deliver also what is probably bound to another device. */
  readonly deviceBound?: boolean;
  readonly signal?: AbortSignal;
}

/** One surface after the other. One that fails says so and stops nothing. */
export async function deliverAll(options: DeliverOptions): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (const surface of options.surfaces) {
    if (options.signal?.aborted === true) throw new DeputyError("CANCELLED", "The delivery was cancelled");
    const { admitted, refused } = admit(options, surface);
    // A deletion moves no value, but it tells of one: it obeys the same policy.
    const gone = options.gone.filter(
      (one) => isFor(surface, one) && options.allows(one, { kind: "surface", name: surface.id }).ok,
    );
    const delivery = await attempt(surface, admitted, gone);
    deliveries.push({ ...delivery, refused: [...refused, ...delivery.refused] });
  }
  return deliveries;
}

function admit(
  { want, allows, deviceBound = false }: DeliverOptions,
  surface: Surface,
): { admitted: Cookie[]; refused: Refusal[] } {
  const { unique, refused } = newestOfEach(want.filter((cookie) => isFor(surface, cookie)));
  const admitted = unique.filter((cookie) => {
    const verdict = allows(cookie, { kind: "surface", name: surface.id });
    if (!verdict.ok) refused.push(refuse(cookie, verdict.reason));
    const bound = cookie.kind === "device-bound-suspect" && !deviceBound;
    if (verdict.ok && bound) refused.push(refuse(cookie, boundReason(cookie)));
    return verdict.ok && !bound;
  });
  return { admitted, refused };
}

function isFor({ wants }: Surface, { domain }: { readonly domain: string }): boolean {
  return wants === undefined || wants(domain);
}

async function attempt(
  surface: Surface,
  want: readonly Cookie[],
  gone: readonly Deletion[],
): Promise<Delivery> {
  try {
    return await surface.deliver(want, gone);
  } catch (error) {
    const told = fileError(error, surface.target);
    if (told instanceof DeputyError) return failedDelivery(surface, want, told);
    // Whatever else the system refuses costs this surface; a bug is nobody's to catch.
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const cannot = new DeputyError("READ_ONLY", `Cannot write ${surface.target}`, {
      hint: "Check who owns it, and that the disk has room.",
      cause: error,
    });
    return failedDelivery(surface, want, cannot);
  }
}
