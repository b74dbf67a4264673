/** A writer, a reader or a rotator of a vault others rotate at the same time. Ends when its stdin does. */
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Secret } from "../../src/kernel/index.ts";
import { Vault } from "../../src/vault/vault.ts";
import { key, META, read, testKek } from "../support/test-vault.ts";

const [role, path, name, rows] = process.argv.slice(2);
const vault = Vault.open({ path: path!, kek: testKek(), clock: { now: () => Date.now() } });
const stop = new AbortController();
process.stdin.on("end", () => stop.abort()).resume();

let round = 0;
const roles: Record<string, () => Promise<void> | void> = {
  /** Each writer has accounts of its own, so that it knows what must be in them. */
  writer: () => {
    const at = key(`${name}-${round % 10}`);
    using value = Secret.fromText(`${round}`);
    if (vault.put(at, value, META).kind !== "stored") throw new Error("not stored");
    const back = read(vault, at);
    if (back !== String(round)) throw new Error(`wrote ${round}, read ${back}`);
  },
  /** The rows nobody writes must always be there, whatever key they are under. */
  reader: () => {
    const number = round % Number(rows);
    const value = read(vault, key(`fixed-${number}`));
    if (value !== `canary ${number}`) throw new Error(`fixed-${number} holds ${value}`);
    if (round % 100 === 0 && vault.list().length < Number(rows))
      throw new Error("a row is missing from the list");
  },
  rotator: async () => {
    await vault.finishRotation();
    await vault.rotate({ onProgress: (done) => writeSync(1, `${done}\n`) });
    writeSync(1, "rotated\n");
  },
};

writeSync(1, "ready\n");
for (; !stop.signal.aborted; round++) {
  await roles[role!]!();
  await setTimeout(role === "rotator" ? 0 : 4); // eight that never rest would leave the rotator no processor
}
writeSync(1, `${round}\n`);
process.exit(0);
