import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

/** What a host runs, by its path. */
export interface HostRuntime {
  readonly node: string;
  readonly python: string;
}

/**
 * Puts the hosts' own code into a folder that holds nothing else, so that binding it shows a host nothing of the
 * installation: in a clone as JavaScript, which the sources are not.
 */
export async function stageRuntime(folder: string): Promise<HostRuntime> {
  const source = join(import.meta.dirname, "node");
  const node = join(folder, "node");
  await mkdir(node, { recursive: true });
  for (const name of await readdir(source)) {
    if (!/^[a-z-]+\.[jt]s$/.test(name)) continue;
    const text = await readFile(join(source, name), "utf8");
    const code = name.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
    const renamed = code.replace(/(from "\.\/[a-z-]+)\.[jt]s"/g, '$1.mjs"');
    await writeFile(join(node, name.replace(/\.[jt]s$/, ".mjs")), renamed);
  }
  const python = join(folder, "python");
  await copyPython(join(import.meta.dirname, "python"), python);
  return { node, python };
}

async function copyPython(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name !== "__pycache__") await copyPython(source, target);
    else if (entry.name.endsWith(".py")) await writeFile(target, await readFile(source));
  }
}
