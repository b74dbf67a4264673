/** A Cookies.binarycookies, for tests: Safari itself runs on macOS only. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Unlabelled } from "../../src/cookies/index.ts";

const COOKIES_PER_PAGE = 50;

/** The path of the file. */
export function writeSafariCookies(folder: string, cookies: readonly Unlabelled[]): string {
  mkdirSync(folder, { recursive: true });
  const pages: Buffer[] = [];
  for (let at = 0; at < cookies.length; at += COOKIES_PER_PAGE)
    pages.push(page(cookies.slice(at, at + COOKIES_PER_PAGE)));
  const header = Buffer.alloc(8 + pages.length * 4);
  header.write("cook");
  header.writeUInt32BE(pages.length, 4);
  pages.forEach(({ length }, i) => header.writeUInt32BE(length, 8 + i * 4));
  const path = join(folder, "Cookies.binarycookies");
  // The checksum and the property list at the end, which nobody reads.
  writeFileSync(path, Buffer.concat([header, ...pages, Buffer.alloc(8)]));
  return path;
}

function page(cookies: readonly Unlabelled[]): Buffer {
  const records = cookies.map(record);
  const header = Buffer.alloc(8 + records.length * 4 + 4);
  header.writeUInt32BE(0x100, 0);
  header.writeUInt32LE(records.length, 4);
  let offset = header.length;
  records.forEach(({ length }, i) => {
    header.writeUInt32LE(offset, 8 + i * 4);
    offset += length;
  });
  return Buffer.concat([header, ...records]);
}

function record(cookie: Unlabelled): Buffer {
  const host = `${cookie.hostOnly ? "" : "."}${cookie.domain}`;
  const texts = [host, cookie.name, cookie.path, cookie.value].map((text) => Buffer.from(`${text}\0`));
  const header = Buffer.alloc(56);
  header.writeUInt32LE(56 + texts.reduce((sum, { length }) => sum + length, 0), 0);
  header.writeUInt32LE((cookie.secure ? 1 : 0) | (cookie.httpOnly ? 4 : 0), 8);
  let offset = 56;
  texts.forEach(({ length }, i) => {
    header.writeUInt32LE(offset, 16 + i * 4);
    offset += length;
  });
  header.writeDoubleLE(cookie.expires === null ? 0 : cookie.expires / 1000 - 978_307_200, 40);
  header.writeDoubleLE(cookie.created / 1000 - 978_307_200, 48);
  return Buffer.concat([header, ...texts]);
}
