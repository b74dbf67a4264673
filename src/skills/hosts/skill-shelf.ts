import { linkSync, mkdirSync } from "node:fs";
import { link, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SkillFiles } from "./skill-files.ts";

const KEPT = 256;
/** Up to so many links are made at once: through the thread pool each would cost ten times as much. */
const FEW = 64;

/**
 * Skills' files on disk, written once per content hash. A host's folder gets hard links: no bytes are copied, and
 * no host can write to them, because its folder is bound read-only.
 */
export class SkillShelf {
  readonly #folder: string;
  /** In order of use. */
  readonly #written = new Map<string, Promise<string>>();
  #made = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async place(skill: SkillFiles, folder: string): Promise<void> {
    const from = await this.#find(skill);
    const folders = foldersOf(skill, folder);
    const paths = [...skill.files.keys()];
    if (paths.length <= FEW) {
      for (const path of folders) mkdirSync(path, { recursive: true });
      for (const path of paths) linkSync(join(from, path), join(folder, path));
      return;
    }
    for (const path of folders) await mkdir(path, { recursive: true });
    await Promise.all(paths.map((path) => link(join(from, path), join(folder, path))));
  }

  async #find(skill: SkillFiles): Promise<string> {
    const known = this.#written.get(skill.hash);
    const written = known ?? this.#write(skill);
    this.#written.delete(skill.hash);
    this.#written.set(skill.hash, written);
    const [oldest] = this.#written;
    if (this.#written.size > KEPT && oldest !== undefined) {
      this.#written.delete(oldest[0]);
      void oldest[1].then((path) => rm(path, { recursive: true, force: true })).catch(() => {});
    }
    try {
      return await written;
    } catch (error) {
      if (this.#written.get(skill.hash) === written) this.#written.delete(skill.hash);
      throw error;
    }
  }

  async #write(skill: SkillFiles): Promise<string> {
    const folder = join(this.#folder, String(++this.#made));
    for (const path of foldersOf(skill, folder).add(folder)) await mkdir(path, { recursive: true });
    for (const [path, content] of skill.files)
      await writeFile(join(folder, path), content, { mode: 0o444, flag: "wx" });
    return folder;
  }
}

function foldersOf(skill: SkillFiles, folder: string): Set<string> {
  return new Set([...skill.files.keys()].map((path) => dirname(join(folder, path))));
}
