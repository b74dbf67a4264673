/** Homes for the programs session files are written for. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Adapter, loadAdapters } from "../../src/surfaces/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const bundled = loadAdapters([resolve(import.meta.dirname, "../../adapters")]);

export function findAdapter(id: string): Adapter {
  const adapter = bundled.adapters.find((one) => one.id === id);
  assert.ok(adapter, id);
  return adapter;
}

/** A home in which the adapter's program is a script that keeps what it reads. */
export function adapterHome(
  program?: string,
  script = '#!/bin/sh\ncat > "$HOME/pasted"\nprintf %s "$*" > "$HOME/args"\nenv > "$HOME/env"\n',
) {
  const folder = temporaryFolder("files");
  const bin = join(folder.path, "go", "bin");
  mkdirSync(bin, { recursive: true });
  if (program !== undefined) {
    writeFileSync(join(bin, program), script);
    chmodSync(join(bin, program), 0o755);
  }
  const env = { HOME: folder.path, PATH: "/usr/bin:/bin" };
  return {
    ...folder,
    places: { env, surfaces: join(folder.path, "surfaces") },
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}
