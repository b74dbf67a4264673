import { createHmac, hkdfSync } from "node:crypto";
import { HkdfSha256 } from "@hpke/core";

type Bytes = ArrayBufferLike | ArrayBufferView;

const HASH = "sha256";

/**
 * The library's HKDF-SHA256, computed at once instead of in two errands to other threads for each of the five steps of
 * an envelope. Only the primitive: what is extracted and expanded stays the library's to say.
 */
export class NodeHkdf extends HkdfSha256 {
  override async extract(salt: Bytes, ikm: Bytes): Promise<ArrayBuffer> {
    // RFC 5869, 2.2: "if not provided, [salt] is set to a string of HashLen zeros", which an empty HMAC key is too.
    return exact(createHmac(HASH, view(salt)).update(view(ikm)).digest());
  }

  override async extractAndExpand(
    salt: Bytes,
    ikm: Bytes,
    info: Bytes,
    length: number,
  ): Promise<ArrayBuffer> {
    return hkdfSync(HASH, view(ikm), view(salt), view(info), length);
  }
}

function view(bytes: Bytes): Uint8Array {
  return ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
}

/** The library takes whole ArrayBuffers; a Buffer is often a part of a larger one. */
export function exact(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
