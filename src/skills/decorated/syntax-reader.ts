import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DeputyError } from "../../kernel/index.ts";
import type { Jail } from "../../platform/index.ts";
import { hashFiles } from "../hosts/skill-files.ts";
import type { PythonInstallation } from "../hosts/find-python.ts";
import { type Syntax, syntaxForm } from "./syntax.ts";
import { SyntaxShelf } from "./syntax-shelf.ts";

/** Reads what Python files declare. Whatever is in them, none of it runs. */
export type SyntaxReader = (files: ReadonlyMap<string, Uint8Array>) => Promise<Syntax>;

interface Parts {
  readonly jail: () => Promise<Jail>;
  readonly python: () => Promise<PythonInstallation | undefined>;
  /** Where to keep what was read. */
  readonly folder?: string;
}

const FOLDER = join(import.meta.dirname, "..", "hosts", "python", "syntax");
const KEPT = 512;
const MIB = 1024 * 1024;

/** Each content is read once: a syntax tree says the same every time. */
export function createSyntaxReader(parts: Parts): SyntaxReader {
  const shelf = parts.folder === undefined ? undefined : new SyntaxShelf(parts.folder);
  const known = new Map<string, Promise<Syntax>>();
  let own: ReadonlyMap<string, Uint8Array> | undefined;
  let python: Promise<PythonInstallation | undefined> | undefined;
  const findOnce = async () => {
    const found = await (python ??= parts.python());
    if (found === undefined) python = undefined; // its owner is told to install one
    return found;
  };
  return async (files) => {
    // Another reader may see something else in the same files.
    const key = hashFiles(new Map([...files, ...(own ??= ownFiles())]));
    const before = known.get(key);
    if (before !== undefined) return before;
    const shelved = shelf?.find(key);
    const reading =
      shelved === undefined ? read(files, await parts.jail(), await findOnce()) : Promise.resolve(shelved);
    known.set(key, reading);
    if (shelved === undefined) reading.then((syntax) => shelf?.keep(key, syntax)).catch(() => {});
    const [oldest] = known.keys();
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    reading.catch(() => known.delete(key));
    return reading;
  };
}

function ownFiles(): Map<string, Uint8Array> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".py"));
  return new Map(names.map((name) => [`/${name}`, readFileSync(join(FOLDER, name))]));
}

async function read(
  files: ReadonlyMap<string, Uint8Array>,
  jail: Jail,
  python: PythonInstallation | undefined,
): Promise<Syntax> {
  if (python === undefined) {
    throw new DeputyError("UNSUPPORTED", "its operations are declared in Python, and there is none here", {
      hint: "Install Python 3.9 or newer.",
    });
  }
  const { stdout, exit } = await jail.run({
    argv: [python.executable, "-I", "-S", "-B", "-X", "utf8", join(FOLDER, "read.py")],
    read: [...python.folders, FOLDER],
    env: { LANG: "C.UTF-8" },
    limits: { wallMs: 20_000, memoryBytes: 512 * MIB, processes: 8, outputBytes: 16 * MIB },
    input: JSON.stringify({
      files: [...files].map(([path, content]) => [path, Buffer.from(content).toString()]),
    }),
  });
  const said = exit.status === 0 ? parsed(stdout.toString()) : undefined;
  if (said !== undefined) return said;
  throw new DeputyError("SKILL_BROKEN", "what its Python declares cannot be read", {
    hint: "Does Python itself take its files? python3 -m py_compile FILE",
  });
}

function parsed(text: string): Syntax | undefined {
  try {
    return syntaxForm.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
