import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { DeputyError, Secret } from "../../kernel/index.ts";
import { damaged, type Header } from "../header.ts";
import type { KeyProvider } from "./key-provider.ts";

const derive = promisify(argon2);

// RFC 9106 section 4, second recommended option: 64 MiB, 3 passes, 4 lanes.
const COST = { memory: 65_536, passes: 3, parallelism: 4 };

/** A header that asks for less was changed to make guessing cheap. OWASP's minimum: 19 MiB, 2 passes. */
const FLOOR = { memory: 19_456, passes: 2, parallelism: 1 };
/** And one that asks for much more would hang the machine. */
const CEILING = { memory: 4_194_304, passes: 64, parallelism: 64 };

const SHORTEST = 8;

/** The key is made from words only the owner knows. `ask` is called when they are needed, and only then. */
export function passphraseKey(ask: () => Promise<Secret>): KeyProvider {
  return {
    kind: "passphrase",
    async create() {
      using passphrase = await ask();
      if (Array.from(passphrase.reveal()).length < SHORTEST) {
        throw new DeputyError("BAD_INPUT", `The passphrase is too short: at least ${SHORTEST} characters`, {
          hint: "Several words are easy to remember and hard to guess.",
        });
      }
      const salt = randomBytes(16);
      const kek = await stretch(passphrase, salt, COST);
      return { kek, params: { ...COST, salt: salt.toString("base64") }, undo: async () => {} };
    },
    async open(header) {
      const { salt, ...cost } = checkedParams(header);
      using passphrase = await ask();
      return await stretch(passphrase, salt, cost);
    },
    async retire() {
      return undefined; // only the owner's memory holds it
    },
  };
}

function checkedParams(header: Header) {
  const { memory, passes, parallelism, salt } = header.params;
  const within = (value: unknown, name: keyof typeof FLOOR): value is number =>
    Number.isInteger(value) && Number(value) >= FLOOR[name] && Number(value) <= CEILING[name];
  if (!within(memory, "memory") || !within(passes, "passes") || !within(parallelism, "parallelism")) {
    throw damaged("its passphrase settings are outside what Deputy writes");
  }
  const bytes = Buffer.from(String(salt), "base64");
  if (bytes.length !== 16) throw damaged("its passphrase settings have no salt");
  return { memory, passes, parallelism, salt: bytes };
}

async function stretch(passphrase: Secret, salt: Buffer, cost: typeof COST): Promise<Secret> {
  const bytes = await derive("argon2id", {
    message: passphrase.bytes(),
    nonce: salt,
    tagLength: 32,
    ...cost,
  });
  return Secret.fromBytes(bytes);
}
