/**
 * What every surface must do, whatever it writes to. A surface runs it with a way to make an empty one and to read
 * back what is there.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { type Cookie, cookieKey } from "../../src/cookies/index.ts";
import { DeputyError } from "../../src/kernel/index.ts";
import { type Deletion, type Delivery, deliverAll, type Surface } from "../../src/surfaces/index.ts";
import { arbitraryCookie } from "../support/arbitrary-cookie.ts";

/** The real time, because a running browser knows no other. */
export const NOW = Math.floor(Date.now() / 1000) * 1000;
export const CANARY = "canary-of-a-surface";

export interface MadeSurface extends AsyncDisposable {
  readonly surface: Surface;
  /** What a program that looks there finds. */
  readonly read: () => Promise<readonly Partial<Cookie>[]>;
}

export interface SurfaceContract {
  readonly name: string;
  readonly skip?: string | false;
  readonly make: () => Promise<MadeSurface>;
  /** A record as it is found again: whole, unless the place cannot keep all of it. */
  readonly kept?: (cookie: Cookie) => Partial<Cookie>;
  /** How many sets of random cookies are tried. */
  readonly rounds?: number;
  /** False where other cookies cannot be there, such as a header. */
  readonly keepsOthers?: boolean;
}

export function wanted(fields: Partial<Cookie>): Cookie {
  return {
    name: "sid",
    value: CANARY,
    domain: "shop.example",
    hostOnly: false,
    path: "/",
    expires: NOW + 86_400_000,
    secure: true,
    httpOnly: true,
    sameSite: "lax",
    partitionKey: null,
    sourceScheme: "secure",
    sourcePort: 443,
    priority: "medium",
    created: NOW - 1000,
    updated: NOW - 1000,
    kind: "portable",
    ...fields,
  };
}

export function deletionOf({ name, domain, hostOnly, path, partitionKey }: Cookie): Deletion {
  return { kind: "delete", name, domain, hostOnly, path, partitionKey, at: NOW };
}

export const allowAll = () => ({ ok: true }) as const;

function accounted(delivery: Delivery, want: readonly Cookie[]): void {
  const { delivered, unchanged, refused } = delivery;
  assert.equal(delivered + unchanged + refused.length, want.length, "every cookie is accounted for");
  for (const { name, domain, reason } of refused) {
    assert.ok(want.some((cookie) => cookie.name === name && cookie.domain === domain));
    assert.match(reason, /\w/);
  }
  assert.ok(!JSON.stringify(delivery).includes(CANARY), "no report holds a value");
}

const THREE = [
  wanted({ name: "sid" }),
  wanted({ name: "plain", secure: false, httpOnly: false, sameSite: "unset", path: "/deep", value: "1" }),
  wanted({ name: "host", domain: "www.shop.example", hostOnly: true, sameSite: "strict", priority: "high" }),
];

/** As old and as new now as they were when they were made up. */
const someCookie = arbitraryCookie.map((cookie) => ({
  ...cookie,
  expires: cookie.expires === null ? null : cookie.expires - Date.UTC(2026, 10, 1) + NOW,
}));

export function testSurface(contract: SurfaceContract): void {
  const { name, make, kept = (cookie) => cookie, skip = false, keepsOthers = true } = contract;
  const sorted = (cookies: readonly Partial<Cookie>[]) =>
    cookies.toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
  const same = (found: readonly Partial<Cookie>[], expected: readonly Cookie[]) =>
    assert.deepEqual(sorted(found), sorted(expected.map(kept)));

  test(`${name}: what is delivered is found, the second time it is unchanged`, { skip }, async () => {
    await using made = await make();
    const first = await made.surface.deliver(THREE, []);
    accounted(first, THREE);
    assert.deepEqual([first.delivered, first.unchanged, first.deleted], [3, 0, 0]);
    same(await made.read(), THREE);
    const second = await made.surface.deliver(THREE, []);
    accounted(second, THREE);
    assert.deepEqual([second.delivered, second.unchanged, second.deleted], [0, 3, 0]);
    same(await made.read(), THREE);
  });

  test(`${name}: a changed value replaces the old one, others stay`, { skip }, async () => {
    await using made = await make();
    await made.surface.deliver(THREE, []);
    const changed = wanted({ name: "sid", value: "another", updated: NOW });
    const want = keepsOthers ? [changed] : [changed, ...THREE.slice(1)];
    const delivery = await made.surface.deliver(want, []);
    accounted(delivery, want);
    if (keepsOthers) assert.equal(delivery.delivered, 1);
    same(await made.read(), [changed, ...THREE.slice(1)]);
  });

  test(`${name}: what is gone goes, and only that; what never was there is no matter`, { skip }, async () => {
    await using made = await make();
    await made.surface.deliver(THREE, []);
    const [sid, ...others] = THREE;
    const gone = [deletionOf(sid!), deletionOf(wanted({ name: "never" }))];
    const delivery = await made.surface.deliver(others, gone);
    accounted(delivery, others);
    assert.equal(delivery.deleted, 1);
    same(await made.read(), others);
  });

  test(`${name}: any cookie a reader may come up with is found again, or refused`, { skip }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(someCookie, { maxLength: 12, selector: cookieKey }), async (want) => {
        await using made = await make();
        const delivery = await made.surface.deliver(want, []);
        accounted(delivery, want);
        const found = await made.read();
        assert.equal(found.length, delivery.delivered);
        const expected = want.map(kept);
        for (const cookie of found)
          assert.ok(
            expected.some((one) => isDeepStrictEqual(one, cookie)),
            JSON.stringify(cookie),
          );
        const again = await made.surface.deliver(want, []);
        assert.equal(again.unchanged, delivery.delivered);
      }),
      { numRuns: contract.rounds ?? 60 },
    );
  });

  test(`${name}: beside one that fails it is delivered all the same`, { skip }, async () => {
    await using made = await make();
    const broken: Surface = {
      id: "files",
      target: "/nowhere",
      deliver: () => Promise.reject(new DeputyError("DISK_FULL", "There is no room")),
    };
    const surfaces = [broken, made.surface, broken];
    const deliveries = await deliverAll({ surfaces, want: THREE, gone: [], allows: allowAll });
    assert.deepEqual(
      deliveries.map(({ delivered, refused, error }) => [delivered, refused.length, error?.code]),
      [
        [0, 3, "DISK_FULL"],
        [3, 0, undefined],
        [0, 3, "DISK_FULL"],
      ],
    );
    same(await made.read(), THREE);
  });
}
