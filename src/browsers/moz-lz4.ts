/** `mozLz40\0`, the length of the content in 4 bytes, one LZ4 block (toolkit/components/lz4/lz4.js). */
const MAGIC = Buffer.from("mozLz40\0");
const LARGEST = 128 * 1024 * 1024;

/** The content of a .jsonlz4 file, or undefined where the bytes are not one. */
export function decompressMozLz4(file: Buffer): Buffer | undefined {
  if (file.length < MAGIC.length + 4 || !file.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const size = file.readUInt32LE(MAGIC.length);
  // LZ4 cannot shrink below 1/255: a larger claim is a lie, and costs nothing.
  if (size > LARGEST || size > file.length * 255) return undefined;
  return decompressBlock(file.subarray(MAGIC.length + 4), size);
}

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md */
function decompressBlock(block: Buffer, size: number): Buffer | undefined {
  const out = Buffer.alloc(size);
  let from = 0;
  let to = 0;

  function length(nibble: number): number {
    let total = nibble;
    if (nibble < 15) return total;
    for (;;) {
      const more = block[from++];
      if (more === undefined) return Infinity;
      total += more;
      if (more < 255) return total;
    }
  }

  while (from < block.length) {
    const token = block[from++] ?? 0;
    const literals = length(token >> 4);
    if (from + literals > block.length || to + literals > size) return undefined;
    block.copy(out, to, from, from + literals);
    from += literals;
    to += literals;
    if (from === block.length) break; // The last sequence is literals only.
    if (from + 2 > block.length) return undefined;
    const distance = block.readUInt16LE(from);
    from += 2;
    const match = length(token & 15) + 4;
    if (distance === 0 || distance > to || to + match > size) return undefined;
    // Byte by byte: a match may overlap what it writes.
    for (const end = to + match; to < end; to++) out[to] = out[to - distance] ?? 0;
  }
  return to === size ? out : undefined;
}
