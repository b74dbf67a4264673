// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
const MAGIC = 0x377f0682; // the last bit says that checksums are big-endian
const HEADER = 32;
const FRAME_HEADER = 24;

interface Sum {
  a: number;
  b: number;
}

/**
 * The database with every committed frame of its write-ahead log applied: what SQLite's own recovery does. Frames
 * after the last commit, left from before a checkpoint, or damaged end the log there. Throws RangeError when the
 * result would be larger than `largest`.
 */
export function replayWal(main: Buffer, wal: Buffer, largest: number): Buffer {
  if (wal.length < HEADER || (wal.readUInt32BE(0) & ~1) !== MAGIC) return main;
  const bigEndian = (wal.readUInt32BE(0) & 1) === 1;
  const pageSize = wal.readUInt32BE(8);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return main;
  const sum: Sum = { a: 0, b: 0 };
  addTo(sum, wal, 0, 24, bigEndian);
  if (sum.a !== wal.readUInt32BE(24) || sum.b !== wal.readUInt32BE(28)) return main;

  const pages = new Map<number, number>();
  let uncommitted: [page: number, offset: number][] = [];
  let pageCount: number | undefined;
  const step = FRAME_HEADER + pageSize;
  for (let at = HEADER; at + step <= wal.length; at += step) {
    const saltsMatch = wal.compare(wal, 16, 24, at + 8, at + 16) === 0;
    const page = wal.readUInt32BE(at);
    if (!saltsMatch || page === 0) break;
    addTo(sum, wal, at, 8, bigEndian);
    addTo(sum, wal, at + FRAME_HEADER, pageSize, bigEndian);
    if (sum.a !== wal.readUInt32BE(at + 16) || sum.b !== wal.readUInt32BE(at + 20)) break;
    uncommitted.push([page, at + FRAME_HEADER]);
    const sizeAfterCommit = wal.readUInt32BE(at + 4);
    if (sizeAfterCommit === 0) continue;
    for (const [number, offset] of uncommitted) pages.set(number, offset);
    uncommitted = [];
    pageCount = sizeAfterCommit;
  }
  if (pageCount === undefined) return main;
  if (pageCount * pageSize > largest) throw new RangeError("The database in the log is too large");

  const image = Buffer.alloc(pageCount * pageSize);
  main.copy(image, 0, 0, Math.min(main.length, image.length));
  for (const [page, offset] of pages)
    if (page <= pageCount) wal.copy(image, (page - 1) * pageSize, offset, offset + pageSize);
  return image;
}

function addTo(sum: Sum, bytes: Buffer, from: number, length: number, bigEndian: boolean): void {
  let { a, b } = sum;
  for (let at = from; at < from + length; at += 8) {
    const first = bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    const second = bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4);
    a = (a + first + b) >>> 0;
    b = (b + second + a) >>> 0;
  }
  sum.a = a;
  sum.b = b;
}
