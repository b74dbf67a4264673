import type { SessionSource } from "./session.ts";

/** A source in words, as it is shown; equal for equal sources. */
export function sourceLabel(source: SessionSource): string {
  switch (source.kind) {
    case "identity":
      return `${source.identity.domain}/${source.identity.identifier}`;
    case "profile":
      return `${source.browser}:${source.profile}`;
    case "saved":
      return `saved:${source.name}`;
    case "blank":
      return "blank";
  }
}
