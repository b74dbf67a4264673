import { lookup } from "node:dns/promises";
import { DeputyError } from "../kernel/index.ts";

/** The addresses this machine knows a host by, /etc/hosts included. */
export async function systemAddresses(host: string): Promise<string[]> {
  try {
    // RFC 6761 6.3: names below localhost are what localhost is, and no DNS server is asked about them.
    const name = host.endsWith(".localhost") ? "localhost" : host;
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "failed";
    const why = code === "ENOTFOUND" ? "nobody knows the name" : `the name could not be looked up (${code})`;
    throw new DeputyError("NETWORK_FAILED", `Cannot find ${host}: ${why}`, {
      hint: "Check how it is written, and whether this machine is online.",
    });
  }
}
