import { join } from "node:path";
import { askDatabase } from "../../platform/index.ts";
import { prepareHome } from "../prepare-home.ts";
import { ADA, hasNotesOf, type Scene } from "../scene.ts";

const FINGERPRINT = /[0-9a-f]{4}( [0-9a-f]{4}){3,}/;

/** A login goes where other programs look, and to another machine of its owner. */
export async function deliver(scene: Scene): Promise<void> {
  const { stage, site, machine } = scene;
  stage.chapter(
    "The login goes where you need it",
    "Other programs, and your other machines, should be logged in too: where you say so.",
  );
  const args = ["deliver", "--surface", "sidecar", "--domain", "notes.example", "--account", "ada"];
  await stage.command(machine, args);
  const sidecar = join(machine.deputyHome, "surfaces", "cookies-plain.db");
  const read = await askDatabase(sidecar, (db) => db.all("SELECT value FROM cookies"));
  const values = read.kind === "answer" ? read.value.map(([value]) => String(value)) : [];
  stage.expect(
    values.length === 1 && values[0] === site.tokenOf("ada"),
    "a program that reads Chrome's cookie files finds Ada's login there, and not Grace's",
  );
  await toServer(scene);
}

async function toServer({ stage, site, machine, server, programs }: Scene): Promise<void> {
  server.shareCompiledCode(machine);
  prepareHome(server, site);
  await stage.ask(server, ["setup", "--key", "file", "--yes"]);
  const pairing = ["pair", "--as", "sink", "--listen", "127.0.0.1:0", "--name", server.name];
  stage.prompt(server, pairing);
  stage.screen.doing("the other machine waits to be paired");
  const waiting = server.start(pairing);
  const [, url = "", code = ""] = await programs.hear(waiting, /Waiting at (\S+?)\.\s[^]*?(\d{4}-\d{4})/);
  stage.screen.idle();
  stage.answer(server, `Waiting at ${url}. On the other machine, type this code: ${code}`);
  const pair = ["pair", "--as", "source", "--peer", url, "--name", machine.name];
  const here = await stage.command(machine, pair, { input: `${code}\n` });
  await programs.finish(waiting);
  const fingerprint = FINGERPRINT.exec(here.stdout)?.[0];
  stage.expect(
    fingerprint !== undefined && fingerprint === FINGERPRINT.exec(waiting.stdout)?.[0],
    "paired: both machines show one fingerprint",
  );
  const listen = ["sink", "--listen", url.replace("http://", "")];
  stage.prompt(server, listen);
  stage.screen.doing("the other machine listens");
  const sink = server.start(listen);
  await programs.hear(sink, /Listening at/);
  stage.screen.idle();
  await stage.command(machine, ["source", "--once"]);
  await programs.end(sink);
  stage.said += waiting.stdout + waiting.stderr + sink.stdout + sink.stderr;
  await stage.ask(server, ["grants", "add", "--skill", "notes", "--identity", ADA]);
  const run = ["run", "notes", "list", "--account", "ada"];
  const { stdout } = await stage.command(server, run, { show: /-1/ });
  stage.expect(
    hasNotesOf("ada", stdout),
    "the other machine, with an engine and a vault of its own, is Ada too",
  );
}
