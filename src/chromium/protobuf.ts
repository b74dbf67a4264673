/** One field of a protocol buffer: a number, or bytes that may be text or another message. */
export interface Field {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/**
 * The fields of a message in the wire format of https://protobuf.dev/programming-guides/encoding/. Undefined where
 * the bytes are no message. Knows varints, fixed numbers and lengths: all there is since groups went.
 */
export function readFields(message: Buffer): Field[] | undefined {
  const fields: Field[] = [];
  let at = 0;

  function varint(): bigint | undefined {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  }

  function bytes(length: number): Buffer | undefined {
    if (at + length > message.length) return undefined;
    at += length;
    return message.subarray(at - length, at);
  }

  while (at < message.length) {
    const tag = varint();
    if (tag === undefined) return undefined;
    let value: bigint | Buffer | undefined;
    switch (Number(tag & 7n)) {
      case 0:
        value = varint();
        break;
      case 1:
        value = bytes(8);
        break;
      case 2: {
        const length = varint();
        value = length === undefined ? undefined : bytes(Number(length));
        break;
      }
      case 5:
        value = bytes(4);
        break;
      default:
        return undefined;
    }
    if (value === undefined) return undefined;
    fields.push({ number: Number(tag >> 3n), value });
  }
  return fields;
}
