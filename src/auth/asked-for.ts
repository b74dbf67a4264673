import { DeputyError } from "../kernel/index.ts";
import type { CookieProvider } from "./candidate.ts";

/** Names people know a browser by. */
const ALSO_CALLED: Readonly<Record<string, string>> = {
  "brave-browser": "brave",
  "google-chrome": "chrome",
  "microsoft-edge": "edge",
};

/** The providers to ask: all that do not disturb anybody, or the one that was named. */
export function askedFor<T extends Pick<CookieProvider, "id" | "live">>(
  all: readonly T[],
  asked: string | undefined,
): T[] {
  if (asked === undefined) return all.filter(({ live }) => !live);
  const meant = all.filter(({ id }) => isMeant(id, asked));
  // A skill may be called after a browser; the browser's own profiles are what the name means then.
  const profiles = meant.filter(({ id }) => id.includes("/"));
  if (meant.length > 0) return profiles.length > 0 ? profiles : meant;
  throw new DeputyError("NOT_FOUND", `There is no provider ${asked}`, {
    hint: all.length === 0 ? "No browser was found." : `There is ${all.map(({ id }) => id).join(", ")}.`,
  });
}

/** `chromium` is any of its profiles, `chromium:Work` that one. */
function isMeant(id: string, asked: string): boolean {
  const [name = "", profile] = asked.split(/[:/](.*)/s);
  const browser = ALSO_CALLED[name] ?? name;
  if (id === asked) return true;
  return profile === undefined
    ? id === browser || id.startsWith(`${browser}/`)
    : id === `${browser}/${profile}`;
}
