import type { Cookie } from "../cookies/index.ts";

/** RFC 6265 4.1.1: a cookie-name is a token (RFC 2616 2.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What no other program's file may be given, whoever made it up; undefined where all is well. */
export function cookieProblem({ name, value, domain, path, partitionKey }: Cookie): string | undefined {
  if (!TOKEN.test(name)) return "its name is not a plain word";
  if (value === "") return "its value is empty, which programs take for a logout";
  if (/[\x00-\x1f\x7f]/.test(value + path)) return "it contains a control character";
  if (domain === "" || /[\x00-\x20\x7f/\\]|\.\./.test(domain)) return "its domain is not a host name";
  if (partitionKey !== null) return "it belongs to one site's frames, which this form cannot say";
  return undefined;
}
