import { isIP } from "node:net";
import { DeputyError } from "../kernel/index.ts";
import type { Environment } from "../platform/index.ts";
import type { Config } from "./config.ts";

/** Where requests go other than the usual way: from config.yaml, or from the owner who started the engine by hand. */
export interface NetworkSettings {
  readonly overrides: Readonly<Record<string, readonly string[]>>;
  readonly roots: string | undefined;
  readonly proxy: string | undefined;
  /** For doctor: each override in words. */
  readonly inForce: readonly string[];
}

export function networkSettings(config: Config, env: Environment): NetworkSettings {
  const overrides = { ...config.resolve, ...parseResolve(env["DEPUTY_RESOLVE"] ?? "") };
  const roots = env["SSL_CERT_FILE"] || config.roots;
  const { proxy } = config;
  const inForce = [
    ...Object.entries(overrides).map(([host, addresses]) => `${host} is ${addresses.join(" or ")}`),
    ...(roots === undefined ? [] : [`the roots in ${roots} are trusted`]),
    ...(proxy === undefined ? [] : ["a proxy is used"]),
  ];
  return { overrides, roots, proxy, inForce };
}

/** `host=ip,host=ip` */
function parseResolve(text: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [host = "", address = ""] = part.split("=").map((one) => one.trim().toLowerCase());
    if (host === "" || isIP(address) === 0) {
      throw new DeputyError("BAD_CONFIG", "Cannot use DEPUTY_RESOLVE: it is a list of host=address", {
        hint: 'For example: DEPUTY_RESOLVE="api.exa.ai=127.0.0.1"',
      });
    }
    (found[host] ??= []).push(address);
  }
  return found;
}
