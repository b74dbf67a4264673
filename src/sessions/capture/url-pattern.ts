/** `*` stands for anything within a part of an address, `**` for anything. Without either, for what contains it. */
export function urlPattern(pattern: string): (url: string) => boolean {
  if (!pattern.includes("*")) return (url) => url.includes(pattern);
  const source = pattern
    .split(/(\*\*\/?|\*)/)
    .map((part) =>
      part === "*" ? "[^/?#]*" : part.startsWith("**") ? ".*" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  const whole = new RegExp(`^${source}$`, "s");
  return (url) => whole.test(url);
}
