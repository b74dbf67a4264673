import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { writeChromiumProfile } from "../../test/support/chromium-profile.ts";
import { writeFirefoxProfile } from "../../test/support/firefox-profile.ts";
import { listProfiles } from "./list-profiles.ts";
import { profileList } from "./profile-list.ts";

/** As if everything had been there for an hour. */
function age(folder: string): void {
  const hourAgo = Date.now() / 1000 - 3600;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    utimesSync(join(folder, name), hourAgo, hourAgo);
  utimesSync(folder, hourAgo, hourAgo);
}

test("A list that is remembered is the list there is, whatever comes, goes or is renamed", () => {
  using folder = temporaryFolder("profiles");
  const env = { HOME: folder.path };
  const chromium = join(folder.path, ".config", "chromium");
  const firefox = join(folder.path, ".mozilla", "firefox");
  const state = (name: string) => JSON.stringify({ profile: { info_cache: { Default: { name } } } });
  const steps: [string, () => void][] = [
    ["nothing", () => {}],
    ["a folder for settings", () => mkdirSync(join(folder.path, ".config"))],
    ["a browser", () => void writeChromiumProfile(join(chromium, "Default"), [])],
    ["its name", () => writeFileSync(join(chromium, "Local State"), state("Mine"))],
    ["another name, written in place", () => writeFileSync(join(chromium, "Local State"), state("Hers"))],
    ["a profile in the making", () => mkdirSync(join(chromium, "Profile 1"))],
    ["its place", () => mkdirSync(join(chromium, "Profile 1", "Network"))],
    [
      "its cookies",
      () => {
        writeChromiumProfile(join(chromium, "Profile 2"), []);
        renameSync(join(chromium, "Profile 2", "Cookies"), join(chromium, "Profile 1", "Network", "Cookies"));
        rmSync(join(chromium, "Profile 2"), { recursive: true });
      },
    ],
    ["Firefox", () => void writeFirefoxProfile(join(firefox, "abcd.default"), [])],
    [
      "a profile elsewhere",
      () => {
        writeFirefoxProfile(join(folder.path, "elsewhere"), []);
        writeFileSync(
          join(firefox, "profiles.ini"),
          `[Profile0]\nName=far\nIsRelative=0\nPath=${join(folder.path, "elsewhere")}\n`,
        );
      },
    ],
    [
      "a container",
      () =>
        writeFileSync(
          join(folder.path, "elsewhere", "containers.json"),
          JSON.stringify({ identities: [{ userContextId: 7, public: true, name: "Bank" }] }),
        ),
    ],
    ["no Chromium", () => rmSync(chromium, { recursive: true })],
    ["no Firefox", () => rmSync(firefox, { recursive: true })],
  ];
  const list = profileList("linux", env);
  let most = 0;
  for (const [name, change] of steps) {
    change();
    const first = listProfiles("linux", env);
    assert.deepEqual(list(), first, `${name}, just now`);
    age(folder.path);
    list();
    assert.deepEqual(list(), first, `${name}, a while later`);
    most = Math.max(most, first.length);
  }
  assert.equal(most, 5);
});
