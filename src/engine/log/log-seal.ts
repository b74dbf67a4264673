import type { LogSeal, SealedHead } from "../../access/index.ts";
import { DeputyError, Secret } from "../../kernel/index.ts";
import type { Vault } from "../../vault/index.ts";
import { internalKey } from "../vault/internal-rows.ts";

const KEY = internalKey("activity-log");
const FORMAT = 1;

interface Stored {
  readonly format: number;
  readonly key: string;
  readonly head: StoredLink;
  readonly anchor: StoredLink;
  readonly pruning: boolean;
  readonly durable: number;
  readonly boot: string;
  readonly lost: readonly { readonly after: number; readonly until: StoredLink }[];
}

type StoredLink = readonly [id: number, hash: string];

/** The log's key and its head in a sealed row: who can only edit files can neither make a row nor say where the log ends. */
export function createLogSeal(vault: Vault): LogSeal {
  let version = 0;
  return {
    read() {
      const row = vault.find(KEY);
      version = row?.version ?? 0;
      if (row === undefined) return undefined;
      using value = row.value;
      const stored = JSON.parse(value.reveal()) as Stored;
      if (stored.format !== FORMAT) {
        throw new DeputyError("VAULT_NEWER", "The activity log was written by a newer Deputy", {
          hint: "Update this Deputy first.",
        });
      }
      return asHead(stored);
    },
    write(head, { durable }) {
      using value = Secret.fromText(JSON.stringify(asStored(head)));
      const meta = { source: "deputy", masked: `${head.head.id} entries` };
      const put = vault.put(KEY, value, meta, version, { durable });
      if (put.kind === "conflict")
        throw new DeputyError("CONFLICT", "Somebody else writes the activity log", { hint: "Try again." });
      version = put.version;
    },
  };
}

function asHead({ key, head, anchor, pruning, durable, boot, lost }: Stored): SealedHead {
  return {
    key: Buffer.from(key, "base64"),
    head: asLink(head),
    anchor: asLink(anchor),
    pruning,
    durable,
    boot,
    lost: lost.map(({ after, until }) => ({ after, until: asLink(until) })),
  };
}

function asStored({ key, head, anchor, pruning, durable, boot, lost }: SealedHead): Stored {
  return {
    format: FORMAT,
    key: Buffer.from(key).toString("base64"),
    head: [head.id, head.hash.toString("base64")],
    anchor: [anchor.id, anchor.hash.toString("base64")],
    pruning,
    durable,
    boot,
    lost: lost.map(({ after, until }) => ({ after, until: [until.id, until.hash.toString("base64")] })),
  };
}

function asLink([id, hash]: StoredLink): SealedHead["head"] {
  return { id, hash: Buffer.from(hash, "base64") };
}
