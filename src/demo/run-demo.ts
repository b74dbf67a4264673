import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database, findProgram, readEnvironment } from "../platform/index.ts";
import { startDemoSite } from "./demo-site.ts";
import { signIn } from "./sign-in.ts";
import { type Shown, Stage } from "./stage.ts";

const BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Shows what Deputy does, from an empty home to an empty home. */
export async function runDemo({ silent = false } = {}): Promise<Shown> {
  const root = mkdtempSync(join(tmpdir(), "deputy-demo-"));
  const home = join(root, "deputy");
  const stopped = new AbortController();
  const onInterrupt = () => stopped.abort();
  process.on("SIGINT", onInterrupt);
  const env = { ...readEnvironment(), HOME: root, DEPUTY_HOME: home };
  const stage = new Stage({ env, silent, signal: stopped.signal });
  const browser = BROWSERS.map((name) => findProgram(name, readEnvironment())).find(
    (path) => path !== undefined,
  );
  try {
    stage.say(`Deputy, shown in a home of its own: ${home}`);
    await showVault(stage);
    await showBrowser(stage, browser, join(root, "browser"));
    await showTampering(stage, join(home, "vault.db"));
    await showCare(stage);
  } finally {
    await stage.deputy(["engine", "stop"], { quiet: true, always: true });
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    process.off("SIGINT", onInterrupt);
  }
  stage.chapter("That was it");
  return stage.close();
}

async function showVault(stage: Stage): Promise<void> {
  stage.chapter("1. A vault for your logins");
  await stage.deputy(["setup", "--yes", "--key", "file"]);
  stage.say("Values come on standard input, never on the command line, and are never shown again.");
  for (const account of ["ada", "grace"]) {
    const key = `demo-key-0123456789-of-${account}`;
    await stage.deputy(["vault", "set", "https://api.example.com", account, "--type", "api_key"], {
      input: JSON.stringify({ key }),
    });
  }
  const listed = await stage.deputy(["vault", "list"]);
  stage.expect(!listed.stdout.includes("demo-key"), "the listing shows no value");
  stage.expect(
    listed.stdout.includes("ada") && listed.stdout.includes("grace"),
    "two accounts are kept apart",
  );
}

async function showBrowser(stage: Stage, program: string | undefined, userData: string): Promise<void> {
  stage.chapter("2. A login in a real browser");
  if (program === undefined) return stage.skip("the login in a real browser", "no Chromium is installed");
  await using site = await startDemoSite();
  const greeting = async (cookie: string) => (await fetch(site.url, { headers: { cookie } })).text();
  stage.say(`A site on loopback says: ${await greeting("")}`);
  stage.say("A person signs in with Chromium, in a profile of its own, and closes it.");
  await signIn(program, userData, `${site.url}login?user=ada`, { ...readEnvironment(), HOME: userData });
  const found = await stage.deputy(["cookies", "--url", site.url, "--profile", userData], { quiet: true });
  stage.say(
    `deputy cookies --url ${site.url} --profile … finds the login (${found.stdout.length - 1} bytes, not shown).`,
  );
  const answer = await greeting(found.stdout.trim());
  stage.expect(answer === "signed in as ada", `with it the site says: ${answer}`);
  const other = await stage.deputy(["cookies", "--url", "http://other.example/", "--profile", userData], {
    quiet: true,
  });
  stage.expect(other.stdout === "", "another site gets nothing");
  const value = JSON.stringify({ cookies: found.stdout.trim() });
  await stage.deputy(["vault", "set", site.url, "ada", "--type", "cookies"], { input: value });
}

async function showTampering(stage: Stage, path: string): Promise<void> {
  stage.chapter("3. Somebody changes the vault behind Deputy's back");
  await stage.deputy(["engine", "stop"], { quiet: true });
  stage.say("Ada's sealed key is put in the place of Grace's, straight in the file.");
  swapKeys(path);
  const verified = await stage.deputy(["vault", "verify"]);
  stage.expect(verified.status === 1, "neither is opened as the other");
  await stage.deputy(["engine", "stop"], { quiet: true });
  swapKeys(path);
  stage.say("Put back as it was:");
  stage.expect((await stage.deputy(["vault", "verify"])).status === 0, "every row proves itself again");
}

async function showCare(stage: Stage): Promise<void> {
  stage.chapter("4. New keys");
  const rotated = await stage.deputy(["vault", "rotate"]);
  stage.expect(rotated.status === 0, "every row is sealed with a new key; the old one is gone");
  await stage.deputy(["status"]);
}

function swapKeys(path: string): void {
  using db = new Database({ path });
  const sealed = (account: string) =>
    db.get("SELECT sealed FROM rows WHERE identifier = ? AND item_type = 'api_key'", account)?.["sealed"] ??
    null;
  const [ada, grace] = [sealed("ada"), sealed("grace")];
  const put = "UPDATE rows SET sealed = ? WHERE identifier = ? AND item_type = 'api_key'";
  db.run(put, grace, "ada");
  db.run(put, ada, "grace");
}
