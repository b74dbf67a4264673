/** Delivers one set of cookies and then another, over and over, until it is killed. Says when it begins each. */
import { writeSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  createChromiumProfileSurface,
  createSessionFilesSurface,
  createSidecarSurface,
  loadAdapters,
} from "../../src/surfaces/index.ts";
import { wanted } from "../contracts/surface.ts";
import { PUBLIC_KEYS } from "../support/chromium-profile.ts";

const [kind = "", folder = ""] = process.argv.slice(2);
const clock = { now: () => Date.now() };
const expires = Math.floor(Date.now() / 1000) * 1000 + 86_400_000;

/** Large enough that a write takes a while, and every cookie of a set says which set it is. */
function cookies(set: string) {
  return Array.from({ length: 300 }, (_, i) =>
    wanted({ name: `n${i}`, value: `${set}${"-".repeat(300)}`, expires }),
  );
}

function surface() {
  if (kind === "sidecar") return createSidecarSurface({ path: join(folder, "cookies-plain.db"), clock });
  if (kind === "files") {
    const { adapters } = loadAdapters([resolve(import.meta.dirname, "../../adapters")]);
    const adapter = adapters.find(({ id }) => id === "storage-state");
    if (adapter === undefined) throw new TypeError("no adapter");
    return createSessionFilesSurface({ adapter, places: { env: {}, surfaces: folder }, clock });
  }
  const keysFor = async () => ({ keys: PUBLIC_KEYS, problems: [] });
  const profile = join(folder, "data", "Default");
  return createChromiumProfileSurface({ profile, keysFor, clock, backups: join(folder, "backups") });
}

for (let i = 0; ; i++) {
  writeSync(1, `begin ${i}\n`);
  await surface().deliver(cookies(i % 2 === 0 ? "a" : "b"), []);
}
