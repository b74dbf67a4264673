import { hostMatches } from "../../cookies/index.ts";

/** Whether a host is one of those named, or below one. A name that ends in a dot is the same name. */
export function isWithin(allow: readonly string[], host: string): boolean {
  const name = host.replace(/\.$/, "");
  return name !== "" && allow.some((pattern) => hostMatches(pattern, name));
}
