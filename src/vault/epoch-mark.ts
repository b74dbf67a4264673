import { Secret } from "../kernel/index.ts";
import type { Keyring } from "../platform/index.ts";

/** The highest epoch ever seen of a vault, kept outside its file: what finds a whole file put back. */
export interface EpochMark {
  read(): Promise<number | undefined>;
  write(epoch: number): Promise<void>;
}

export function createEpochMark(keyring: Keyring, vaultId: string): EpochMark {
  const account = `epoch-${vaultId}`;
  return {
    async read() {
      const stored = await keyring.find(account);
      const epoch = Number(stored?.reveal());
      return Number.isSafeInteger(epoch) ? epoch : undefined;
    },
    async write(epoch) {
      await keyring.store(account, Secret.fromText(String(epoch)));
    },
  };
}
