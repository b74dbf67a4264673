const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;

/**
 * Has a WebAssembly module begin with fewer pages of memory than it declares; it grows by itself where it needs more.
 * WebAssembly core specification, 5.5: after the header come sections, each an id, a length and its bytes; that of the
 * memory is a count, flags and the least number of pages. A number may be written with more bytes than it needs.
 */
export function beginWithPages(module: Uint8Array<ArrayBuffer>, pages: number): Uint8Array<ArrayBuffer> {
  for (let at = HEADER_BYTES; at < module.length; ) {
    const id = module[at];
    const length = readNumber(module, at + 1);
    if (id === MEMORY_SECTION) {
      const least = readNumber(module, length.end + 2);
      if (least.value <= pages) return module;
      const smaller = module.slice();
      for (let byte = length.end + 2, left = pages; byte < least.end; byte++, left >>>= 7)
        smaller[byte] = (left & 0x7f) | (byte + 1 < least.end ? 0x80 : 0);
      return smaller;
    }
    at = length.end + length.value;
  }
  return module;
}

/** LEB128, unsigned. */
function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value: value >>> 0, end: at + 1 };
  }
}
