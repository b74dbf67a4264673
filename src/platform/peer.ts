import type { Socket } from "node:net";
import { loadLibc } from "./libc.ts";

interface Peer {
  readonly uid: number;
  readonly pid?: number;
}

const SOL_SOCKET = 1;
const SO_PEERCRED = 17; // linux: struct ucred { pid, uid, gid }

/** Who is at the other end of a Unix socket, as the kernel says. Undefined where the kernel cannot be asked. */
export function peerOf(socket: Socket): Peer | undefined {
  const libc = loadLibc();
  const fd = descriptorOf(socket);
  if (libc === undefined || fd === undefined) return undefined;
  if (libc.getpeereid !== undefined) {
    const uid = Buffer.alloc(4);
    return libc.getpeereid(fd, uid, Buffer.alloc(4)) === 0 ? { uid: uid.readUInt32LE(0) } : undefined;
  }
  const credentials = Buffer.alloc(12);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(credentials.length);
  if (libc.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, length) !== 0) return undefined;
  return { pid: credentials.readInt32LE(0), uid: credentials.readUInt32LE(4) };
}

/** Node keeps the descriptor on its internal handle; there is no public way to it. */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, "_handle");
  if (typeof handle !== "object" || handle === null) return undefined;
  const fd: unknown = Reflect.get(handle, "fd");
  return typeof fd === "number" && fd >= 0 ? fd : undefined;
}
