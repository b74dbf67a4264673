import { DeputyError } from "../../kernel/index.ts";
import { type Element, onElement } from "./element.ts";
import { pressKeys } from "./keyboard.ts";
import type { TabPage } from "./tab-page.ts";

/** Makes what a field has the selection, or sets at once what cannot be written. Says which, or why neither. */
const PREPARE = `function (text) {
  const tell = (...names) => names.forEach((name) => this.dispatchEvent(new Event(name, { bubbles: true })));
  if (this instanceof HTMLSelectElement) return "it is a list: use select";
  if (this.isContentEditable) {
    this.focus();
    getSelection().selectAllChildren(this);
    return "write";
  }
  const isInput = this instanceof HTMLInputElement;
  if (!isInput && !(this instanceof HTMLTextAreaElement)) return "it takes no text";
  if (this.readOnly) return "it is read-only";
  if (isInput && /^(checkbox|radio|submit|button|reset|image|file|hidden)$/.test(this.type))
    return "it takes no text: use click";
  this.focus();
  if (!isInput || /^(text|search|url|tel|email|password|number)$/.test(this.type)) {
    this.select();
    return "write";
  }
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  set.call(this, text);
  tell("input", "change");
  return this.value === text || this.type === "color" ? "done" : "it takes no such value";
}`;

const TO_END = `function () {
  if (this.getRootNode().activeElement === this) return;
  this.focus();
  try { this.setSelectionRange(this.value.length, this.value.length); } catch {}
}`;

const CHOOSE = `function (wanted) {
  if (!(this instanceof HTMLSelectElement)) return "it is no list";
  const options = [...this.options];
  const fits = (option, one) => option.value === one || option.label.trim() === one.trim();
  const missing = wanted.filter((one) => !options.some((option) => fits(option, one)));
  if (missing.length > 0) return "it has no " + missing.join(", ");
  if (wanted.length > 1 && !this.multiple) return "it takes one option";
  this.focus();
  if (this.multiple) for (const option of options) option.selected = wanted.some((one) => fits(option, one));
  else this.selectedIndex = options.findIndex((option) => fits(option, wanted[0]));
  this.dispatchEvent(new Event("input", { bubbles: true }));
  this.dispatchEvent(new Event("change", { bubbles: true }));
  return "done";
}`;

export async function fill(page: TabPage, element: Element, text: string): Promise<void> {
  const how = await onElement(page, element, PREPARE, text);
  if (how === "done") return;
  if (how !== "write") throw cannot("fill", element, how);
  if (text === "") await pressKeys(page, "Delete");
  else await page.call("Input.insertText", { text });
}

/** The keys go there, after what it has. */
export async function focus(page: TabPage, element: Element): Promise<void> {
  await onElement(page, element, TO_END);
}

export async function choose(page: TabPage, element: Element, options: readonly string[]): Promise<void> {
  const how = await onElement(page, element, CHOOSE, options);
  if (how !== "done") throw cannot("select in", element, how);
}

function cannot(what: string, { name }: Element, why: unknown): DeputyError {
  return new DeputyError("BAD_INPUT", `Cannot ${what} ${name}: ${String(why)}`);
}
