import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const version: string = manifest.version;

/** By the rules of https://semver.org clause 11, as far as our own versions go: a pre-release comes before its release. */
export function isOlder(one: string, than: string): boolean {
  const [a, b] = [partsOf(one), partsOf(than)];
  for (const at of [0, 1, 2]) {
    const [mine, its] = [a.numbers[at] ?? 0, b.numbers[at] ?? 0];
    if (mine !== its) return mine < its;
  }
  if (a.before === b.before) return false;
  if (a.before === "" || b.before === "") return b.before === "";
  return a.before.localeCompare(b.before, "en", { numeric: true }) < 0;
}

function partsOf(text: string): { readonly numbers: readonly number[]; readonly before: string } {
  const [numbers = "", ...before] = (text.split("+")[0] ?? "").split("-");
  return { numbers: numbers.split(".").map((one) => Number(one) || 0), before: before.join("-") };
}
