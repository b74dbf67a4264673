/** A key of the keyboard, as `Input.dispatchKeyEvent` wants it. */
export interface Key {
  readonly key: string;
  readonly code: string;
  readonly windowsVirtualKeyCode: number;
  /** What it writes, where it does. */
  readonly text?: string;
}

/** UI Events KeyboardEvent key Values, with the Windows virtual key codes browsers go by. */
const NAMED: Readonly<Record<string, readonly [code: number, text?: string]>> = {
  Backspace: [8],
  Tab: [9],
  Enter: [13, "\r"],
  Escape: [27],
  PageUp: [33],
  PageDown: [34],
  End: [35],
  Home: [36],
  ArrowLeft: [37],
  ArrowUp: [38],
  ArrowRight: [39],
  ArrowDown: [40],
  Insert: [45],
  Delete: [46],
  ContextMenu: [93],
  ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`F${i + 1}`, [112 + i] as const])),
};

/** Of the US layout: a key's two characters, its place, its code. */
const PUNCTUATION: readonly (readonly [pair: string, place: string, code: number])[] = [
  [";:", "Semicolon", 186],
  ["=+", "Equal", 187],
  [",<", "Comma", 188],
  ["-_", "Minus", 189],
  [".>", "Period", 190],
  ["/?", "Slash", 191],
  ["`~", "Backquote", 192],
  ["[{", "BracketLeft", 219],
  ["\\|", "Backslash", 220],
  ["]}", "BracketRight", 221],
  ["'\"", "Quote", 222],
];
const OVER_DIGITS = ")!@#$%^&*(";

export const MODIFIERS = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const;
export type Modifier = keyof typeof MODIFIERS;
const MODIFIER_KEYS: Readonly<Record<Modifier, readonly [code: string, number: number]>> = {
  Alt: ["AltLeft", 18],
  Control: ["ControlLeft", 17],
  Meta: ["MetaLeft", 91],
  Shift: ["ShiftLeft", 16],
};

export function modifierKey(modifier: Modifier): Key {
  const [code, windowsVirtualKeyCode] = MODIFIER_KEYS[modifier];
  return { key: modifier, code, windowsVirtualKeyCode };
}

/** A key by its name or by the character it writes; undefined where the keyboard has none. */
export function findKey(name: string): Key | undefined {
  const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (named !== undefined) {
    const [windowsVirtualKeyCode, text] = named;
    return { key: name, code: name, windowsVirtualKeyCode, ...(text === undefined ? {} : { text }) };
  }
  const written = name === "Space" ? " " : name;
  const place = placeOf(written);
  if (place === undefined) return undefined;
  return { key: written, code: place[0], windowsVirtualKeyCode: place[1], text: written };
}

function placeOf(character: string): readonly [code: string, number: number] | undefined {
  if (character === " ") return ["Space", 32];
  if (/^[a-z]$/i.test(character)) {
    const upper = character.toUpperCase();
    return [`Key${upper}`, upper.charCodeAt(0)];
  }
  const digit = /^\d$/.test(character) ? Number(character) : OVER_DIGITS.indexOf(character);
  if (character.length === 1 && digit >= 0) return [`Digit${digit}`, 48 + digit];
  const found = PUNCTUATION.find(([pair]) => character.length === 1 && pair.includes(character));
  return found === undefined ? undefined : [found[1], found[2]];
}
