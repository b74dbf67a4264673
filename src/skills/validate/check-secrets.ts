import type { Path } from "../manifest/yaml-source.ts";
import type { Findings } from "./findings.ts";

/** Keys as the services that hand them out write them. */
const KEYS = [
  /\b(sk|pk|rk)[-_](live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{20,}/,
  /\b(ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm|hf|xai|gsk)[-_][A-Za-z0-9_-]{20,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{35}/,
  /\bya29\.[A-Za-z0-9_-]{20,}/,
  /\bGOCSPX-[A-Za-z0-9_-]{20,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b[a-z][a-z0-9+.-]*:\/\/[^/\s:@"']+:[^/\s:@"']{6,}@/,
];

/** Where a long random word is a key rather than a name. */
const PLACES = /key|token|secret|password|passwd|cookie|session|authorization|credential|bearer/i;
const PROSE = ["description", "label", "help_url", "website", "name", "query"];

/** Keys pasted into a manifest: they belong in the vault. What was found is never quoted. */
export function checkSecrets(findings: Findings, data: unknown): void {
  const visit = (value: unknown, path: Path) => {
    if (typeof value === "string" && looksSecret(value, path)) {
      const hint =
        "Take it out, store it with deputy vault set, and write .auth.key; whoever saw the file has it.";
      findings.add("error", path, `${path.join(".")} looks like a secret`, hint);
    }
    if (typeof value !== "object" || value === null) return;
    for (const [key, inside] of Object.entries(value))
      visit(inside, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  visit(data, []);
}

export function hasKey(text: string): boolean {
  return KEYS.some((pattern) => pattern.test(text));
}

function looksSecret(text: string, path: Path): boolean {
  if (hasKey(text)) return true;
  const last = String(path.at(-1));
  if (PROSE.includes(last) || !path.some((step) => PLACES.test(String(step)))) return false;
  return [...text.matchAll(/[A-Za-z0-9+/_=-]{20,}/g)].some(([word]) => isRandom(word));
}

/** Mixed like random text, not like words joined by _ or -. */
function isRandom(word: string): boolean {
  if (!/\d/.test(word) || !/[A-Za-z]/.test(word)) return false;
  const counts = new Map<string, number>();
  for (const letter of word) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const bits = [...counts.values()].reduce(
    (sum, n) => sum - (n / word.length) * Math.log2(n / word.length),
    0,
  );
  return bits > (/^[0-9a-f]+$/i.test(word) ? 3 : 3.7);
}
