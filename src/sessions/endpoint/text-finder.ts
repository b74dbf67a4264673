import { type SecretForm, SHORTEST } from "./secret-forms.ts";

const GRAM = 4;
/** Whatever is as long as the shortest form has a whole gram at a place that is a multiple of this. */
const STRIDE = SHORTEST - GRAM + 1;
const SLOTS = 2 ** 18;

interface Place {
  readonly form: SecretForm;
  readonly offset: number;
}

interface Found {
  readonly from: number;
  readonly to: number;
  readonly base64: boolean;
}

/** Looks for many texts at once in one pass over every fifth character: a screenshot is megabytes, a login many cookies. */
export class TextFinder {
  readonly #known = new Set<string>();
  readonly #slots = new Uint8Array(SLOTS);
  readonly #places = new Map<number, Place[]>();

  add(form: SecretForm): void {
    if (this.#known.has(form.text)) return;
    this.#known.add(form.text);
    for (let offset = 0; offset < STRIDE; offset++) {
      const gram = gramAt(form.text, offset);
      this.#slots[slotOf(gram)] = 1;
      const places = this.#places.get(gram) ?? [];
      this.#places.set(gram, places);
      places.push({ form, offset });
    }
  }

  has(text: string): boolean {
    for (const _ of this.#find(text)) return true;
    return false;
  }

  mask(text: string, mask: string): string {
    const found = [...this.#find(text)].sort((a, b) => a.from - b.from || b.to - a.to);
    let [shown, at] = ["", 0];
    for (const { from, to, base64 } of found) {
      if (to <= at) continue;
      shown += text.slice(at, Math.max(at, from));
      shown += base64 ? "A".repeat(to - Math.max(at, from)) : from < at ? "" : mask;
      at = to;
    }
    return shown + text.slice(at);
  }

  *#find(text: string): Generator<Found> {
    if (this.#places.size === 0) return;
    for (let at = 0; at + GRAM <= text.length; at += STRIDE) {
      const gram = gramAt(text, at);
      if (this.#slots[slotOf(gram)] === 0) continue;
      for (const { form, offset } of this.#places.get(gram) ?? []) {
        const from = at - offset;
        if (from >= 0 && text.startsWith(form.text, from))
          yield { from, to: from + form.text.length, base64: form.base64 };
      }
    }
  }
}

function gramAt(text: string, at: number): number {
  return (
    text.charCodeAt(at) |
    (text.charCodeAt(at + 1) << 8) |
    (text.charCodeAt(at + 2) << 16) |
    (text.charCodeAt(at + 3) << 24)
  );
}

function slotOf(gram: number): number {
  // Fibonacci hashing: the high bits of the product depend on all of the gram's.
  return Math.imul(gram, 0x9e3779b1) >>> 14;
}
