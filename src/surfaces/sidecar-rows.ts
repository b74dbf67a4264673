import { createChromiumStore, KNOWN_VERSIONS, type Row, readCookies } from "../chromium/index.ts";
import type { Unlabelled } from "../cookies/index.ts";
import { DeputyError } from "../kernel/index.ts";
import { SEAL_MARK, type SidecarSeal } from "./sidecar-seal.ts";

/** Rows of a sidecar as cookies. Throws where one is sealed and there is no key for it. */
export function readPlainRows(rows: readonly Row[], seal: SidecarSeal | undefined): Unlabelled[] {
  const store = createChromiumStore({ version: KNOWN_VERSIONS.most, keys: {} });
  return readCookies(rows, store).cookies.map((cookie) => {
    if (!cookie.value.startsWith(SEAL_MARK)) return cookie;
    if (seal === undefined)
      throw new DeputyError(
        "KEYRING_UNAVAILABLE",
        "The sidecar is sealed and its key is not in the keyring",
        {
          hint: "Unlock the keyring of the user who delivered it, or turn sealing off in config.yaml.",
        },
      );
    return { ...cookie, value: seal.open(cookie.value) };
  });
}
