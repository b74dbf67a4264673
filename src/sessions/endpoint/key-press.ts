type KeyParams = Readonly<Record<string, unknown>>;

const [ALT, CTRL, META, SHIFT] = [1, 2, 4, 8];
const NAMED: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Shift: 16,
  Control: 17,
  Alt: 18,
  Escape: 27,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Insert: 45,
  Delete: 46,
  Meta: 91,
};

const MODIFIERS = [16, 17, 18, 20, 91, 92];
const ARROWS = [37, 38, 39, 40];
const PUNCTUATION = [...range(106, 111), ...range(186, 192), ...range(219, 223), 226];
const EDITING = [8, 13, 32, 35, 36, ...ARROWS];

/** By the modifiers that are held: what no browser takes for itself (chrome/browser/ui/views/accelerator_table.cc). */
const PLAIN = new Set(
  [0, 8, 9, 12, 13, ...MODIFIERS, 27, ...range(32, 40), 45, 46, ...range(48, 90), 93].concat(
    range(96, 105),
    PUNCTUATION,
    [113, 115, 116, 119, 120],
  ),
);
const WITH_CTRL = new Set([
  ...MODIFIERS,
  ...EDITING,
  46,
  ...PUNCTUATION,
  ...range(48, 57),
  ...letters("ABCEFGIKLMRXYZ"),
]);
const WITH_CTRL_SHIFT = new Set([...MODIFIERS, ...EDITING, ...PUNCTUATION, ...letters("FGKLXZ")]);
const WITH_ALT = new Set([...MODIFIERS, 13, ...ARROWS]);

/**
 * Whether a key press stays on the page. What a page does not handle the browser does: it opens windows of the default
 * context (Ctrl+N, Ctrl+Shift+Delete), saves files, and pastes from a clipboard that all sessions share (measured, in
 * headless too).
 */
export function staysOnPage(params: KeyParams): boolean {
  const { type, commands, key, windowsVirtualKeyCode } = params;
  if (Array.isArray(commands) && commands.some((command) => /paste|yank/i.test(String(command))))
    return false;
  if (type === "keyUp" || type === "char") return true;
  const code = typeof windowsVirtualKeyCode === "number" ? windowsVirtualKeyCode : 0;
  const held = typeof params["modifiers"] === "number" ? params["modifiers"] & 15 : 0;
  const pressed = code === 0 ? codeOf(key) : code;
  const shift = (held & SHIFT) !== 0;
  if ((held & ALT) !== 0) return (held & (CTRL | META)) === 0 && WITH_ALT.has(pressed);
  if ((held & (CTRL | META)) !== 0) return (shift ? WITH_CTRL_SHIFT : WITH_CTRL).has(pressed);
  // Shift+Insert pastes, Shift+Escape is the browser's list of tasks, Shift+Delete cuts.
  return PLAIN.has(pressed) && !(shift && (pressed === 45 || pressed === 27));
}

function codeOf(key: unknown): number {
  if (typeof key !== "string") return 0;
  return /^[a-z\d]$/i.test(key) ? key.toUpperCase().charCodeAt(0) : (NAMED[key] ?? 0);
}

function letters(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
