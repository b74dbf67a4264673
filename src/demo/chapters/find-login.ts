import { signIn } from "../browser/sign-in.ts";
import { ADA, type Scene } from "../scene.ts";

type Row = { readonly domain: string; readonly identifier: string; readonly item_type: string };

/** A person is signed in in their browser, and Deputy finds it there. */
export async function findLogin(scene: Scene): Promise<void> {
  const { stage, site, machine } = scene;
  stage.chapter(
    "A login you already have is found",
    "You are signed in in your browser. Your agent is not, and should not have your password.",
  );
  stage.screen.doing("a browser signs in at the site");
  const browser = await signIn(scene, "ada", "Home");
  scene.browser = browser;
  stage.screen.idle();
  stage.say(`Ada signs in at the site ${browser.words}.`);
  if (!browser.real) stage.skip("signing in with a real browser", "neither Chromium nor Firefox runs here");
  const setup = ["setup", "--key", "file", "--yes"];
  const { stdout } = await stage.command(machine, setup, { show: /^DOMAIN|^notes\.example|vault is ready/ });
  stage.expect(/^notes\.example .*Home/m.test(stdout), "Deputy sees where you are signed in, by name only");
  await stage.command(machine, ["login", "notes"]);
  const rows = JSON.parse((await stage.ask(machine, ["vault", "list", "--json"])).stdout) as Row[];
  const [row] = rows;
  stage.expect(
    rows.length === 1 &&
      row?.item_type === "cookies" &&
      `${row.domain}/${row.identifier}` === ADA &&
      site.calls.at(-1)?.account === "ada",
    "it read the login, asked the site whose it is, and sealed it in its vault: no password was needed",
  );
}
