/** Every form a secret could hide in. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function formsOf(secret: string): { form: string; bytes: Buffer }[] {
  const raw = Buffer.from(secret);
  // base64 of a part of a longer text depends on where it starts: three alignments, edges cut off.
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), raw]).toString("base64");
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  const wide = Buffer.from(secret, "utf16le");
  return [
    { form: "raw", bytes: raw },
    ...shifted.map((text, i) => ({ form: `base64+${i}`, bytes: Buffer.from(text) })),
    ...shifted.map((text, i) => ({
      form: `base64url+${i}`,
      bytes: Buffer.from(text.replaceAll("+", "-").replaceAll("/", "_")),
    })),
    { form: "hex", bytes: Buffer.from(raw.toString("hex")) },
    { form: "HEX", bytes: Buffer.from(raw.toString("hex").toUpperCase()) },
    { form: "url", bytes: Buffer.from(encodeURIComponent(secret)) },
    { form: "utf16le", bytes: wide },
    { form: "utf16be", bytes: Buffer.from(wide).swap16() },
  ];
}

/** Where the secret was found: `file (form)`. Links lead out of the folder, as to the compiled code of the tests themselves. */
export function findInFiles(folder: string, secret: string): string[] {
  const forms = formsOf(secret);
  const found: string[] = [];
  for (const name of filesIn(folder)) {
    const bytes = readFileSync(join(folder, name));
    for (const { form, bytes: wanted } of forms) if (bytes.includes(wanted)) found.push(`${name} (${form})`);
  }
  return found;
}

function filesIn(folder: string, below = ""): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = join(below, entry.name);
    if (entry.isDirectory()) return filesIn(folder, name);
    return entry.isFile() ? [name] : [];
  });
}

export function findInText(text: string, secret: string): string[] {
  const bytes = Buffer.from(text);
  return formsOf(secret).flatMap(({ form, bytes: wanted }) => (bytes.includes(wanted) ? [form] : []));
}
