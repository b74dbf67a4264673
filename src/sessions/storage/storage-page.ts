import { z } from "zod";
import type { CdpConnection } from "../../cdp/index.ts";
import { evaluateIn, gotoBlank } from "../browser/blank-page.ts";
import type { Targets } from "../browser/targets.ts";
import type { OriginStorage } from "./origin-storage.ts";
import { READ_STORAGE, writeStorage } from "./page-codec.ts";

interface Place {
  readonly connection: CdpConnection;
  readonly targets: Targets;
  readonly contextId: string;
}

const path = z.union([z.string(), z.array(z.string())]);
const storage = z.object({
  local: z.array(z.tuple([z.string(), z.string()])),
  databases: z.array(
    z.object({
      name: z.string(),
      version: z.number(),
      stores: z.array(
        z.object({
          name: z.string(),
          keyPath: path.nullable(),
          autoIncrement: z.boolean(),
          indexes: z.array(
            z.object({ name: z.string(), keyPath: path, unique: z.boolean(), multiEntry: z.boolean() }),
          ),
          records: z.array(z.object({ key: z.unknown(), value: z.unknown() })),
        }),
      ),
    }),
  ),
});
const read = storage.extend({
  lost: z.array(z.object({ where: z.string(), count: z.number(), reason: z.string() })),
});

/** Reads an origin's storage in a page of our own; the origin is asked for nothing. */
export async function readOrigin(place: Place, origin: string): Promise<OriginStorage> {
  const { connection, targets, contextId } = place;
  await using page = await targets.helper(contextId);
  await gotoBlank(connection, page, `${origin}/`);
  return parseStorage(origin, await evaluateIn(connection, page, READ_STORAGE));
}

/** What `READ_STORAGE` came to, checked: a page's own code may have run before ours. */
export function parseStorage(origin: string, told: unknown): OriginStorage {
  const { local, databases, lost } = read.parse(told);
  return { origin, local, databases, lost: lost.map((one) => ({ origin, ...one })) };
}

/** Writes an origin's storage the same way. */
export async function writeOrigin(place: Place, { origin, local, databases }: OriginStorage): Promise<void> {
  const { connection, targets, contextId } = place;
  await using page = await targets.helper(contextId);
  await gotoBlank(connection, page, `${origin}/`);
  await evaluateIn(connection, page, writeStorage({ local, databases }));
}

/** What a saved state holds of an origin, checked. */
export const originStorage: z.ZodType<OriginStorage> = storage.extend({
  origin: z.string(),
  lost: z.array(z.object({ origin: z.string(), where: z.string(), count: z.number(), reason: z.string() })),
});

export function isEmpty({ local, databases }: OriginStorage): boolean {
  return local.length === 0 && databases.length === 0;
}
