/**
 * Safari's Cookies.binarycookies, as described in public by those who took it apart (libyal's dtformats, "Safari
 * Cookies"). Apple documents none of it: what is not listed there is not read. Pages are big-endian outside and
 * little-endian inside.
 */
export interface BinaryCookie {
  readonly name: string;
  readonly value: string;
  /** A leading dot says that it is a domain cookie. */
  readonly host: string;
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** Milliseconds since 1970, or null where the file has none. */
  readonly expires: number | null;
  readonly created: number;
}

interface BinaryCookies {
  readonly cookies: BinaryCookie[];
  /** Records that could not be read. */
  readonly malformed: number;
}

const MAGIC = "cook";
const PAGE_TAG = 0x0000_0100;
const RECORD_HEADER = 56;
const FLAGS = { secure: 1, httpOnly: 4 };
/** Times are seconds since 2001. */
const SECONDS_BEFORE_2001 = 978_307_200;
const MOST_COOKIES = 20_000;

/** Undefined where the bytes are not such a file. A damaged page or record costs itself. */
export function parseBinaryCookies(file: Buffer): BinaryCookies | undefined {
  if (file.length < 8 || file.toString("latin1", 0, 4) !== MAGIC) return undefined;
  const pageCount = file.readUInt32BE(4);
  let at = 8 + pageCount * 4;
  if (at > file.length) return undefined;
  const cookies: BinaryCookie[] = [];
  let malformed = 0;
  for (let i = 0; i < pageCount; i++) {
    const size = file.readUInt32BE(8 + i * 4);
    const page = file.subarray(at, at + size);
    at += size;
    for (const record of recordsOf(page) ?? [undefined]) {
      if (cookies.length + malformed >= MOST_COOKIES) return { cookies, malformed };
      const cookie = record === undefined ? undefined : parseRecord(record);
      if (cookie === undefined) malformed++;
      else cookies.push(cookie);
    }
  }
  return { cookies, malformed };
}

function recordsOf(page: Buffer): (Buffer | undefined)[] | undefined {
  if (page.length < 8 || page.readUInt32BE(0) !== PAGE_TAG) return undefined;
  const count = page.readUInt32LE(4);
  if (8 + count * 4 > page.length) return undefined;
  return Array.from({ length: count }, (_, i) => {
    const offset = page.readUInt32LE(8 + i * 4);
    if (offset + RECORD_HEADER > page.length) return undefined;
    const size = page.readUInt32LE(offset);
    return size < RECORD_HEADER || offset + size > page.length
      ? undefined
      : page.subarray(offset, offset + size);
  });
}

function parseRecord(record: Buffer): BinaryCookie | undefined {
  const flags = record.readUInt32LE(8);
  const [host, name, path, value] = [16, 20, 24, 28].map((at) => textAt(record, record.readUInt32LE(at)));
  if (host === undefined || name === undefined || path === undefined || value === undefined) return undefined;
  const expires = record.readDoubleLE(40);
  const created = record.readDoubleLE(48);
  if (!Number.isFinite(expires) || !Number.isFinite(created)) return undefined;
  return {
    name,
    value,
    host,
    path,
    secure: (flags & FLAGS.secure) !== 0,
    httpOnly: (flags & FLAGS.httpOnly) !== 0,
    expires: expires === 0 ? null : fromAppleTime(expires),
    created: fromAppleTime(created),
  };
}

function textAt(record: Buffer, offset: number): string | undefined {
  const end = offset < RECORD_HEADER ? -1 : record.indexOf(0, offset);
  return end === -1 ? undefined : record.toString("utf8", offset, end);
}

function fromAppleTime(seconds: number): number {
  return Math.floor((seconds + SECONDS_BEFORE_2001) * 1000);
}
