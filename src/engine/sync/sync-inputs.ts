import { z } from "zod";
import type { SyncMethods } from "./sync-methods.ts";

const name = z.string().max(64);
const address = z.string().min(1).max(2048);
const rows = z.array(z.string().max(1024)).max(256).exactOptional();

export const syncSchemas: { [K in keyof SyncMethods]: z.ZodType<SyncMethods[K]["in"]> } = {
  "sync.pair": z.strictObject({
    as: z.enum(["source", "sink"]),
    name: name.exactOptional(),
    listen: address.exactOptional(),
    peer: address.exactOptional(),
    code: z.string().max(64).exactOptional(),
  }),
  "sync.push": z.strictObject({
    peers: z.array(name).max(64).exactOptional(),
    watch: z.boolean(),
    rows,
    device_bound: z.boolean().exactOptional(),
  }),
  "sync.sink": z.strictObject({ listen: address.exactOptional(), rows }),
  "peers.list": z.strictObject({}),
  "peers.remove": z.strictObject({ name }),
};
