import type { CdpConnection } from "../../cdp/index.ts";
import type { Environment } from "../../platform/index.ts";
import { stringField } from "./answers.ts";

/** `Emulation.UserAgentMetadata` */
interface Metadata {
  readonly brands: readonly Brand[];
  readonly fullVersionList: readonly Brand[];
  readonly platform: string;
  readonly platformVersion: string;
  readonly architecture: string;
  readonly bitness: string;
  readonly model: string;
  readonly mobile: boolean;
  readonly wow64: boolean;
}

interface Brand {
  readonly brand: string;
  readonly version: string;
}

/** What every page is told about the browser, as the same build says it with a window. */
export interface Likeness {
  readonly userAgent: string;
  readonly userAgentMetadata: Metadata;
}

/** Chromium freezes all of it but the major version (the User-Agent Reduction of 2022). */
export function headedUserAgent(major: string, platform: NodeJS.Platform = process.platform): string {
  const system = {
    darwin: "Macintosh; Intel Mac OS X 10_15_7",
    win32: "Windows NT 10.0; Win64; x64",
  } as Partial<Record<NodeJS.Platform, string>>;
  const where = system[platform] ?? "X11; Linux x86_64";
  return `Mozilla/5.0 (${where}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
}

/**
 * A browser told its User-Agent by a flag knows its brands and nothing finer: the full versions are made of them and of
 * the version it tells over the protocol.
 */
export async function likenessOf(
  connection: CdpConnection,
  evaluate: (expression: string) => Promise<unknown>,
): Promise<Likeness> {
  const version = await connection.call("Browser.getVersion");
  const full = stringField(version, "product").replace(/^[^/]*\//, "");
  const told = (await evaluate(
    "({brands: navigator.userAgentData.brands, platform: navigator.userAgentData.platform})",
  )) as { brands: Brand[]; platform: string };
  const major = full.split(".")[0];
  return {
    userAgent: stringField(version, "userAgent"),
    userAgentMetadata: {
      brands: told.brands,
      fullVersionList: told.brands.map(({ brand, version: its }) => ({
        brand,
        version: its === major ? full : `${its}.0.0.0`,
      })),
      platform: told.platform,
      platformVersion: "",
      architecture: process.arch.startsWith("arm") ? "arm" : "x86",
      bitness: "64",
      model: "",
      mobile: false,
      wow64: false,
    },
  };
}

/** The owner's language as a browser writes it: `de_DE.UTF-8` is de-DE. */
export function localeOf(env: Environment): string {
  const told = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  const [, language, country] = /^([a-z]{2,3})(?:_([A-Z]{2}))?/.exec(told) ?? [];
  if (language === undefined) return "en-US";
  return country === undefined ? language : `${language}-${country}`;
}
