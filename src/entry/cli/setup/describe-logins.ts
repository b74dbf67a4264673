import type { Called, FoundDomain } from "../../../engine/index.ts";
import { plain, table } from "../table.ts";

type Found = Called<"setup.logins">;

/** Lines of a screen that are not the table's. */
const OTHER_LINES = 10;
const FEWEST_LINES = 5;
/** Where nobody scrolls, as in a file: a screenful of the usual size. */
const USUAL_LINES = 24;

/** Which logins the browsers have: domains and counts, the likeliest first, no more than a screenful. */
export function describeLogins(found: Found, lines = process.stdout.rows ?? USUAL_LINES): string {
  const { profiles, domains } = found;
  if (profiles.length === 0)
    return "No browser was found for this user. Logins can come from: deputy login SKILL";
  const readable = profiles.filter((one) => one.readable);
  const unreadable = profiles
    .filter((one) => !one.readable)
    .map(({ browser, profile, warnings }) => {
      const why = warnings.map(({ message }) => message).join("; ");
      return plain(`${browser}/${profile} cannot be read: ${why}`);
    });
  const [only] = readable;
  if (only === undefined) return unreadable.join("\n");
  const place =
    readable.length === 1 ? plain(`${only.browser}/${only.profile}`) : `${readable.length} profiles`;
  if (domains.length === 0) return [...unreadable, `No logins are in your browsers (${place}).`].join("\n");
  const shown = domains.slice(0, Math.max(FEWEST_LINES, lines - OTHER_LINES));
  const more = domains.length + found.more - shown.length;
  return [
    ...unreadable,
    `Your browsers (${place}) have cookies of ${count(domains.length + found.more, "domain")}:`,
    "",
    table(["DOMAIN", "COOKIES", "LOGGED IN", "SKILL", "WHERE"], shown.map(asCells)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}

function asCells({ domain, cookies, login, skills, profiles }: FoundDomain): string[] {
  const [first = "", ...others] = profiles;
  const where = others.length === 0 ? first : `${first} and ${others.length} more`;
  return [domain, String(cookies), login ? "likely" : "", skills.map(({ id }) => id).join(", "), where];
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
