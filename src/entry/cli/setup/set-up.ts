import type { Called } from "../../../engine/index.ts";
import { DeputyError } from "../../../kernel/index.ts";
import type { McpEntry } from "../entries.ts";
import type { Shell } from "../shell.ts";
import { addClients, requireClients } from "./add-clients.ts";
import type { Choices } from "./choices.ts";
import { describeLogins } from "./describe-logins.ts";
import { describeNext, nextSteps } from "./next-steps.ts";
import { findDomain } from "./planned-grants.ts";
import { shareLogins } from "./share-logins.ts";
import { askKeyKind, describeKey, keyInput } from "./vault-key.ts";

/**
 * The first meeting, and every later one: each step leaves what is there as it is, tells what it did, and can be the last.
 * Gives the exit status.
 */
export async function setUp(shell: Shell, choices: Choices, entry: McpEntry): Promise<number> {
  using interrupt = new Interrupt();
  const done: string[] = [];
  const note = (what: string) => void done.push(what);
  let told = 0;
  const tell = (words: string) => {
    if (!shell.json) process.stdout.write(`${told++ === 0 ? "" : "\n"}${words}\n`);
  };
  try {
    const found = await shell.call("setup.logins", {});
    const { domains } = found;
    const named = [...new Set(choices.share.map((given) => findDomain(given, domains)))];
    requireClients(choices.clients, entry.knownClients());
    interrupt.check();
    tell(describeLogins(found));

    const made = await makeVault(shell, choices);
    if (made.created) note("the vault is made");
    tell(describeKey(made));
    interrupt.check();

    const grants = (await shell.call("grants.list", {})).filter(({ status }) => status === "active");
    if (grants.length > 0)
      tell(
        `${grants.length} ${grants.length === 1 ? "grant is" : "grants are"} there already: deputy grants list`,
      );
    const shared = await shareLogins({ shell, choices, domains, named, grants, tell, note });
    interrupt.check();

    const clients = await addClients({ entry, choices, tell, note });
    const next = nextSteps({ domains, grants: [...shared, ...grants], clients });
    shell.show({ ...made, browsers: asCounts(found), shared, clients, next }, `\n${describeNext(next)}`);
    return clients.some(({ error }) => error !== null) ? 1 : 0;
  } catch (error) {
    throw error instanceof DeputyError && error.code === "CANCELLED" ? stopped(done) : error;
  }
}

async function makeVault(shell: Shell, choices: Choices): Promise<Called<"setup">> {
  const { vault } = await shell.call("status", {});
  if (vault.state !== "none") return shell.call("setup", {});
  const kind = choices.key ?? (choices.asks ? await askKeyKind(shell) : undefined);
  return shell.call("setup", kind === undefined ? {} : await keyInput(shell, kind, choices.options));
}

/** What a script wants of it: the pins and hosts of skills are in `deputy skills show`. */
function asCounts({ profiles, domains, more }: Called<"setup.logins">) {
  return {
    profiles,
    domains: domains.map(({ skills, ...one }) => ({ ...one, skills: skills.map(({ id }) => id) })),
    more,
  };
}

function stopped(done: readonly string[]): DeputyError {
  if (done.length === 0)
    return new DeputyError("CANCELLED", "Nothing was changed", { hint: "Begin again: deputy setup" });
  return new DeputyError("CANCELLED", "Nothing more was changed", {
    hint: `Done so far: ${done.join("; ")}. Go on where you stopped: deputy setup`,
  });
}

/** Ctrl-C while no question is on the screen: what is under way is finished, nothing after it is begun. */
class Interrupt implements Disposable {
  #seen = false;
  readonly #see = () => {
    this.#seen = true;
  };

  constructor() {
    process.once("SIGINT", this.#see);
  }

  check(): void {
    if (this.#seen) throw new DeputyError("CANCELLED", "Nothing more was changed");
  }

  [Symbol.dispose](): void {
    process.removeListener("SIGINT", this.#see);
  }
}
