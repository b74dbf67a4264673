import { DeputyError } from "../../kernel/index.ts";
import { staysOnPage } from "../endpoint/key-press.ts";
import { findKey, type Key, type Modifier, MODIFIERS, modifierKey } from "./keyboard-layout.ts";
import type { TabPage } from "./tab-page.ts";

const SHORT: Readonly<Record<string, Modifier>> = { Ctrl: "Control", Cmd: "Meta", Option: "Alt" };

/** Writes as a person would: a press for each character the keyboard has; what it has not comes as from an input method. */
export async function typeText(page: TabPage, text: string, signal: AbortSignal): Promise<void> {
  for (const character of text.replaceAll("\r\n", "\n")) {
    signal.throwIfAborted();
    const key = findKey(character === "\n" ? "Enter" : character === "\t" ? "Tab" : character);
    if (key === undefined) await page.call("Input.insertText", { text: character });
    else await press(page, key, []);
  }
}

/** `Enter`, `a`, `Control+A`, `Shift+Tab`. Refuses what the browser itself, not the page, would act on. */
export async function pressKeys(page: TabPage, chord: string): Promise<void> {
  // The last + of `Control++` is the key.
  const parts = chord.split(/\+(?=.)/);
  const name = parts.pop() ?? "";
  const held = parts.map((part) => {
    const modifier = SHORT[part] ?? part;
    if (Object.hasOwn(MODIFIERS, modifier)) return modifier as Modifier;
    throw unknownKey(part);
  });
  const key = Object.hasOwn(MODIFIERS, name) ? modifierKey(name as Modifier) : findKey(name);
  if (key === undefined) throw unknownKey(name);
  await press(page, key, held);
}

async function press(page: TabPage, key: Key, held: readonly Modifier[]): Promise<void> {
  const events: object[] = [];
  let modifiers = 0;
  for (const modifier of held) {
    modifiers |= MODIFIERS[modifier];
    events.push({ type: "rawKeyDown", ...modifierKey(modifier), modifiers });
  }
  const { text: written, ...named } = key;
  const text = (modifiers & ~MODIFIERS.Shift) === 0 ? written : undefined;
  const down = { ...named, modifiers, ...(text === undefined ? {} : { text, unmodifiedText: text }) };
  events.push({ type: text === undefined ? "rawKeyDown" : "keyDown", ...down });
  events.push({ type: "keyUp", ...named, modifiers });
  for (const modifier of held.toReversed()) {
    modifiers &= ~MODIFIERS[modifier];
    events.push({ type: "keyUp", ...modifierKey(modifier), modifiers });
  }
  if (!events.every((event) => staysOnPage({ ...event })))
    throw new DeputyError(
      "DENIED",
      `Cannot press ${[...held, key.key].join("+")}: the browser itself would act on it`,
      { hint: "To write text into a field, use fill or type." },
    );
  for (const event of events) await page.call("Input.dispatchKeyEvent", event);
}

function unknownKey(name: string): DeputyError {
  return new DeputyError("BAD_INPUT", `There is no key ${name.slice(0, 40)}`, {
    hint: "Keys are Enter, Tab, ArrowDown, a, F5 …; with others held: Control+A, Shift+Tab.",
  });
}
