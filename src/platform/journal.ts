// https://www.sqlite.org/fileformat2.html#the_rollback_journal
const MAGIC = Buffer.from("d9d505f920a163d7", "hex");
const HEADER = 28;
const ALL_THAT_FOLLOW = 0xffff_ffff;

/**
 * The database as it was before the transaction its rollback journal belongs to: what SQLite does when it finds
 * the journal of a program that crashed. Damaged records end the journal there. Throws RangeError when the result
 * would be larger than `largest`.
 */
export function rollBackJournal(main: Buffer, journal: Buffer, largest: number): Buffer {
  if (!startsHeader(journal, 0)) return main;
  const pagesBefore = journal.readUInt32BE(16);
  const sector = journal.readUInt32BE(20);
  const pageSize = journal.readUInt32BE(24);
  if (pageSize < 512 || pageSize > 65_536 || sector < 32 || sector > 65_536) return main;
  if (pagesBefore * pageSize > largest) throw new RangeError("The database in the journal is too large");

  const image = Buffer.alloc(pagesBefore * pageSize);
  main.copy(image, 0, 0, Math.min(main.length, image.length));
  for (let at = 0; startsHeader(journal, at); ) {
    const claimed = journal.readUInt32BE(at + 8);
    const nonce = journal.readUInt32BE(at + 12);
    const record = 4 + pageSize + 4;
    at += sector;
    const fitting = Math.max(0, Math.floor((journal.length - at) / record));
    const count = claimed === ALL_THAT_FOLLOW ? fitting : claimed;
    if (count > fitting) return image;
    for (let i = 0; i < count; i++, at += record) {
      const page = journal.readUInt32BE(at);
      const content = journal.subarray(at + 4, at + 4 + pageSize);
      if (page === 0 || checksum(nonce, content) !== journal.readUInt32BE(at + 4 + pageSize)) return image;
      if (page <= pagesBefore) content.copy(image, (page - 1) * pageSize);
    }
    // Each header starts on a sector of its own.
    at = Math.ceil(at / sector) * sector;
    if (claimed === ALL_THAT_FOLLOW || claimed === 0) return image;
  }
  return image;
}

function startsHeader(journal: Buffer, at: number): boolean {
  return at + HEADER <= journal.length && journal.compare(MAGIC, 0, 8, at, at + 8) === 0;
}

function checksum(nonce: number, page: Buffer): number {
  let sum = nonce;
  for (let at = page.length - 200; at > 0; at -= 200) sum += page[at] ?? 0;
  return sum >>> 0;
}
