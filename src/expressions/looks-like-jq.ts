/** What an expression may begin with. `.`, `..`, `./x`, `/x`, URLs, numbers, `true` and prose are text. */
const BEGINNING = /^(?:\.[A-Za-z_[\s]|["([{$]|(?:def|if|reduce|foreach|try|label)(?![A-Za-z0-9_]))/;

/**
 * The half of the literal-or-expression rule that can be seen: a string in a template is jq iff it begins like jq
 * and compiles. `.` alone is text, because it is a folder in a command's arguments far more often than it is
 * everything in scope; a field that is always jq takes it as identity.
 */
export function looksLikeJq(text: string): boolean {
  return BEGINNING.test(text) && text.trim() !== ".";
}
