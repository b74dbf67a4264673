/** The credential a request is sent with stays in the engine: it is looked for in the host's memory, from outside. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { Secret } from "../../src/kernel/index.ts";
import { did } from "../support/fault-form.ts";
import { descendants, findInMemory } from "../support/process-memory.ts";
import { hostPool, noFullJail, noPython, runSkill } from "../support/skill-host.ts";

const credential = Secret.fromText(`credential-${randomUUID()}`);
const seenByServer: string[] = [];
const server = createServer((request, response) => {
  seenByServer.push(request.headers.authorization ?? "");
  response.end(JSON.stringify({ welcome: true }));
});
const pool = hostPool({ size: 1 });

before(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)));
after(async () => {
  await pool[Symbol.asyncDispose]();
  server.close();
  server.closeAllConnections();
});

const skills = {
  TypeScript: {
    "skill.ts": `export async function go(run) {
      const { params, auth, http } = run;
      const kept = [params.control, (await http.get("/", { headers: { Authorization: "Bearer " + auth.key } })).json().welcome];
      await run.call("look", {});
      return kept;
    }`,
  },
  Python: {
    "skill.py": `from agentos import http
def go(params, auth, _call):
    kept = [params["params"]["control"], http.get("/", headers={"Authorization": "Bearer " + auth["key"]})["json"]["welcome"]]
    _call("look", {})
    return kept`,
  },
};

for (const [language, files] of Object.entries(skills))
  test(`${language}: the credential a run uses is never in its host's memory`, {
    skip: language === "Python" ? noPython : noFullJail,
  }, async (t) => {
    const control = `control-${randomUUID()}`;
    const handle = `handle-${randomUUID()}`;
    let locked: string | undefined;
    const looks: { pid: number; found: string[]; bytes: number }[] = [];
    const { value } = await runSkill(pool, files, "go", {
      context: { params: { control }, auth: { key: handle } },
      limits: { timeoutMs: 300_000 }, // it waits while its memory is looked through
      serve: {
        http: async ({ headers }) => {
          const { port } = server.address() as AddressInfo;
          const [[, given] = ["", ""]] = headers;
          const authorization = given.replace(handle, credential.reveal());
          const body = await new Promise<Buffer>((done, fail) => {
            get({ port, host: "127.0.0.1", headers: { authorization } }, (answer) => {
              const parts: Buffer[] = [];
              answer
                .on("data", (part: Buffer) => parts.push(part))
                .on("end", () => done(Buffer.concat(parts)));
            }).on("error", fail);
          });
          return { status: 200, url: "https://x.test/", headers: [], body };
        },
        call: async () => {
          const texts = [credential.reveal(), control, handle];
          for (const pid of descendants()) {
            const program = readFileSync(`/proc/${pid}/cmdline`, "utf8");
            try {
              if (/main\.(mjs|py)/.test(program)) looks.push({ pid, ...findInMemory(pid, texts) });
            } catch (error) {
              locked = String(error);
            }
          }
          return null;
        },
      },
    });
    if (locked !== undefined) return t.skip(`cannot read the memory of its own child here: ${locked}`);
    assert.deepEqual(value, [control, true]);
    assert.equal(seenByServer.pop(), `Bearer ${credential.reveal()}`);
    // The control proves that the look would have found it.
    const host = looks.find(({ found }) => found.includes(control));
    assert.ok(host !== undefined, JSON.stringify(looks));
    for (const { found } of looks) assert.ok(!found.includes(credential.reveal()));
    did(
      t,
      { processes: looks.length, "MB looked through": Math.round(host.bytes / 1e6) },
      { credentials: 0 },
    );
  });
