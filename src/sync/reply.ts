import { hkdfSync } from "node:crypto";
import { z } from "zod";
import { told } from "./message.ts";
import type { Peer } from "./peer.ts";
import { openBox, sealBox } from "./sealed-box.ts";

const count = z.int().min(0);
const refused = z.array(z.object({ name: z.string(), domain: z.string(), reason: z.string() }));

const replySchema = z.object({
  /** Why a sink did not take an envelope of a peer it knows. Absent: it was taken. */
  code: z.enum(["MALFORMED", "REPLAY", "RESYNC", "FAILED"]).optional(),
  /** The highest sequence the sink has taken. */
  sequence: count,
  stored: count,
  deleted: count,
  refused,
  from: told,
  surfaces: z.array(
    z.object({
      surface: z.string(),
      delivered: count,
      unchanged: count,
      deleted: count,
      refused: count,
      error: z.string().optional(),
    }),
  ),
});

export type Reply = z.infer<typeof replySchema>;

/** Sealed to the request it answers: nobody between can tell a source that its push arrived. */
export function sealReply(peer: Peer, request: Buffer, status: number, reply: Reply): Buffer {
  return sealBox(replyKey(peer, request), JSON.stringify(reply), String(status));
}

/** Undefined for an answer that is not the peer's to this request. */
export function openReply(peer: Peer, request: Buffer, status: number, body: Buffer): Reply | undefined {
  const opened = openBox(replyKey(peer, request), body, String(status));
  try {
    return opened === undefined ? undefined : replySchema.parse(JSON.parse(opened));
  } catch {
    return undefined;
  }
}

/** One key a request: its MAC is different for every one. */
function replyKey(peer: Peer, requestMac: Buffer): Buffer {
  const pair = Buffer.from(peer.keys.pair, "base64url");
  return Buffer.from(hkdfSync("sha256", pair, requestMac, "deputy sync reply v1", 32));
}
