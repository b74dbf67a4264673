import { DeputyError } from "../kernel/index.ts";

/**
 * The transport's failure as one of ours. Its text names the whole URL, query and all, so neither the text nor the
 * error itself goes any further.
 */
export function wireFailure(error: unknown, url: URL): DeputyError {
  if (error instanceof DeputyError) return error;
  const text = String(error).replaceAll(url.href, "");
  const host = url.host;
  if (/timed out/.test(text))
    return new DeputyError("TIMEOUT", `${host} did not answer in time`, { hint: "Try again in a while." });
  const tls = /\[([A-Z][A-Z_]+)\]/.exec(text)?.[1];
  if (tls === "CERTIFICATE_VERIFY_FAILED" || /certificate/i.test(text)) {
    return new DeputyError("TLS_FAILED", `Cannot trust ${host}: its certificate does not prove who it is`, {
      hint: "A private authority's root can be added under `roots:` in config.yaml",
    });
  }
  if (tls !== undefined) {
    return new DeputyError("TLS_FAILED", `Cannot talk to ${host}: ${tls}`, {
      hint: "Check the port, and that it speaks https there.",
    });
  }
  const why = REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? "the connection failed";
  return new DeputyError("NETWORK_FAILED", `Cannot talk to ${host}: ${why}`, {
    hint: "Check the address and whether this machine is online, and try again.",
  });
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/refused/i, "it refuses connections"],
  [/dns error/i, "its name is not known"],
  [/reset|broken pipe|closed before|eof|incomplete/i, "it broke the connection off"],
  [/unreachable/i, "there is no way there"],
  [/decod|corrupt|invalid/i, "its answer cannot be read"],
];
