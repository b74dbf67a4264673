import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Identity, Recipient } from "age-encryption";
import { DeputyError, type Secret } from "../kernel/index.ts";

const stretch = promisify<
  Buffer,
  Buffer,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt);

/** What the age command uses: about a second of work for every guess. */
const WORK = 18;
/** An import that asks for more would exhaust the machine (each step doubles 256 MiB). */
const MOST_WORK = 20;
const SALT = 16;
const TAG = 16;
const NONCE = Buffer.alloc(12);

/**
 * The passphrase stanza of age-encryption.org/v1 ("scrypt recipient stanza"), on Node's own scrypt: the library's
 * is JavaScript and would hold up the engine's only thread for a second or more.
 */
export function passphraseRecipient(passphrase: Secret, makeStanza: StanzaMaker): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(SALT);
      const cipher = createCipheriv("chacha20-poly1305", await wrapKey(passphrase, salt, WORK), NONCE, {
        authTagLength: TAG,
      });
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      return [makeStanza(["scrypt", salt.toString("base64").replace(/=+$/, ""), String(WORK)], body)];
    },
  };
}

type StanzaMaker = (
  args: string[],
  body: Uint8Array,
) => Awaited<ReturnType<Recipient["wrapFileKey"]>>[number];

export function passphraseIdentity(passphrase: Secret): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza] = stanzas;
      if (stanza === undefined || stanzas.length !== 1 || stanza.args[0] !== "scrypt") return null;
      const [, salt = "", workText = ""] = stanza.args;
      const work = /^[1-9][0-9]?$/.test(workText) ? Number(workText) : Number.NaN;
      if (!(work <= MOST_WORK))
        throw new DeputyError("TOO_LARGE", "The file asks for too much work to be opened", {
          hint: "Nothing was changed. Give a file made by deputy vault export.",
        });
      const end = stanza.body.length - TAG;
      const key = await wrapKey(passphrase, Buffer.from(salt, "base64"), work);
      const decipher = createDecipheriv("chacha20-poly1305", key, NONCE, { authTagLength: TAG });
      decipher.setAuthTag(stanza.body.subarray(end));
      const fileKey = decipher.update(stanza.body.subarray(0, end));
      try {
        decipher.final();
        return fileKey;
      } catch {
        return null; // another passphrase
      }
    },
  };
}

function wrapKey(passphrase: Secret, salt: Buffer, work: number): Promise<Buffer> {
  const cost = { N: 2 ** work, r: 8, p: 1 };
  const label = Buffer.concat([Buffer.from("age-encryption.org/v1/scrypt"), salt]);
  return stretch(passphrase.bytes(), label, 32, { ...cost, maxmem: 129 * cost.N * cost.r });
}
