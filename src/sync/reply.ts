import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { z } from "zod";
import { told } from "./message.ts";
import type { Peer } from "./peer.ts";

/** Why a sink did not take an envelope of a peer it knows. */
export type ReplyCode = "MALFORMED" | "REPLAY" | "RESYNC" | "FAILED";

const count = z.int().min(0);
const refused = z.array(z.object({ name: z.string(), domain: z.string(), reason: z.string() }));

const replySchema = z.object({
  /** Absent: it was taken. */
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
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", replyKey(peer, request), nonce);
  cipher.setAAD(Buffer.from(String(status)));
  return Buffer.concat([nonce, cipher.update(JSON.stringify(reply)), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined for an answer that is not the peer's to this request. */
export function openReply(peer: Peer, request: Buffer, status: number, body: Buffer): Reply | undefined {
  if (body.length < 28) return undefined;
  try {
    const decipher = createDecipheriv("aes-256-gcm", replyKey(peer, request), body.subarray(0, 12));
    decipher.setAAD(Buffer.from(String(status)));
    decipher.setAuthTag(body.subarray(-16));
    const opened = Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()]);
    return replySchema.parse(JSON.parse(opened.toString()));
  } catch {
    return undefined;
  }
}

/** One key a request: its MAC is different for every one. */
function replyKey(peer: Peer, requestMac: Buffer): Buffer {
  const pair = Buffer.from(peer.keys.pair, "base64url");
  return Buffer.from(hkdfSync("sha256", pair, requestMac, "deputy sync reply v1", 32));
}
