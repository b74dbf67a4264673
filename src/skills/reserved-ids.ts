/** Words that say where a login came from, who asks, or what is Deputy's own: a skill of that name would be taken for it. */
const RESERVED = new Set("cli login service vault cache none owner session window".split(" "));

export function isReservedId(id: string): boolean {
  return RESERVED.has(id);
}

export function reservedWords(id: string): string {
  return `cannot be called ${id}: that is the name of something else in Deputy`;
}
