import { hasNotesOf, type Scene } from "../scene.ts";

/** What a service renews is taken back, so that the next call is still logged in. */
export async function rotateToken({ stage, site, machine }: Scene): Promise<void> {
  stage.chapter(
    "The site changes the login with every answer",
    "Many sites do. Whoever works with a copy of a cookie is logged out after one call.",
  );
  const before = site.calls.length;
  const answers = [];
  for (let call = 0; call < 2; call++)
    answers.push((await stage.command(machine, ["run", "notes", "list"], { show: /ada-1/ })).stdout);
  const sent = site.calls.slice(before);
  stage.expect(
    answers.every((answer) => hasNotesOf("ada", answer)) &&
      new Set(sent.map(({ token }) => token)).size === 2 &&
      sent.every(({ account }) => account === "ada"),
    "two calls with two different tokens, both good: what the site renews is back in the vault at once",
  );
}
