import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";

const { Point } = p256;
const ORDER = Point.Fn.ORDER;

// RFC 9382, section 6: points whose discrete logarithm nobody knows.
const M = Point.fromHex("02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f");
const N = Point.fromHex("03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49");

export type Side = "A" | "B";

interface Names {
  readonly A: string;
  readonly B: string;
}

export interface Spake2Keys {
  /** What both now share and nobody else knows. */
  readonly shared: Buffer;
  readonly confirmation: Buffer;
  /** Constant time. */
  confirms(theirs: Uint8Array): boolean;
}

export interface Spake2 {
  readonly share: Buffer;
  /** Undefined for a share that is no point, or one made to give a key known beforehand. */
  finish(theirShare: Uint8Array): Spake2Keys | undefined;
}

/**
 * One run of SPAKE2 (RFC 9382, suite P256-SHA256-HKDF-HMAC): a weak password becomes a strong key. Who watches learns
 * nothing; who takes part tests one password a run. The scalar is an argument for the published vectors only.
 */
export function startSpake2(
  side: Side,
  password: bigint,
  names: Names,
  scalar: bigint = toScalar(randomBytes(48)),
): Spake2 {
  const [ours, theirs] = side === "A" ? [M, N] : [N, M];
  const share = encode(Point.BASE.multiply(scalar).add(ours.multiply(password)));
  return {
    share,
    finish(theirShare) {
      const point = decode(theirShare)?.subtract(theirs.multiply(password));
      if (point === undefined || point.is0()) return undefined;
      const key = encode(point.multiply(scalar));
      const shares = side === "A" ? [share, theirShare] : [theirShare, share];
      const transcript = Buffer.concat(
        [Buffer.from(names.A), Buffer.from(names.B), ...shares, key, scalarBytes(password)].flatMap(prefixed),
      );
      const hash = createHash("sha256").update(transcript).digest();
      const confirming = Buffer.from(hkdfSync("sha256", hash.subarray(16), "", "ConfirmationKeys", 32));
      const mac = (from: Side) =>
        createHmac("sha256", from === "A" ? confirming.subarray(0, 16) : confirming.subarray(16))
          .update(transcript)
          .digest();
      const expected = mac(side === "A" ? "B" : "A");
      return {
        shared: hash.subarray(0, 16),
        confirmation: mac(side),
        confirms: (given) => given.length === expected.length && timingSafeEqual(given, expected),
      };
    },
  };
}

/** 48 bytes, so that reducing them favours no scalar. Never zero. */
export function toScalar(bytes: Uint8Array): bigint {
  return (BigInt(`0x${Buffer.from(bytes).toString("hex")}`) % (ORDER - 1n)) + 1n;
}

type CurvePoint = InstanceType<typeof Point>;

function encode(point: CurvePoint): Buffer {
  return Buffer.from(point.toBytes(false));
}

function decode(bytes: Uint8Array): CurvePoint | undefined {
  if (bytes.length !== 65 || bytes[0] !== 4) return undefined;
  try {
    const point = Point.fromBytes(bytes);
    point.assertValidity();
    return point;
  } catch {
    return undefined; // not on the curve
  }
}

function scalarBytes(scalar: bigint): Buffer {
  return Buffer.from(scalar.toString(16).padStart(64, "0"), "hex");
}

/** RFC 9382, section 3.3: every part after its length in eight bytes, little endian. */
function prefixed(part: Uint8Array): Uint8Array[] {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(part.length));
  return [length, part];
}
