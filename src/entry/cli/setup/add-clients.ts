import { DeputyError } from "../../../kernel/index.ts";
import type { InstalledClient, KnownClient, McpEntry } from "../entries.ts";
import { chooseMany } from "../prompt.ts";
import { plain } from "../table.ts";
import type { Choices } from "./choices.ts";

/** A client that is here, or was named, and what became of it. */
export interface ClientOutcome extends KnownClient {
  readonly changed: boolean;
  readonly backup: string | null;
  readonly after: string | null;
  readonly error: DeputyError | null;
}

interface Parts {
  readonly entry: McpEntry;
  readonly choices: Choices;
  readonly tell: (words: string) => void;
  readonly note: (done: string) => void;
}

/** Throws BAD_USAGE for a name whose settings Deputy does not write, before anything is changed. */
export function requireClients(names: readonly string[], known: readonly KnownClient[]): void {
  const edited = known.filter((one) => one.edited).map(({ client }) => client);
  const wrong = names.find((name) => !edited.includes(name));
  if (wrong === undefined) return;
  const other = known.some(({ client }) => client === wrong);
  throw new DeputyError("BAD_USAGE", `Deputy does not edit the settings of ${wrong}`, {
    hint: other
      ? `This shows what to add, and where: deputy mcp install ${wrong} --print`
      : `It edits those of ${edited.join(", ")}. Any other client can start: deputy mcp`,
  });
}

/** Adds Deputy to the settings of clients that the owner named or chose, of no other. */
export async function addClients({ entry, choices, tell, note }: Parts): Promise<ClientOutcome[]> {
  const known = entry.knownClients().filter(({ client, found }) => found || choices.clients.includes(client));
  const chosen = await whichClients(known, choices);
  const outcomes: ClientOutcome[] = [];
  for (const one of known) {
    const outcome = chosen.includes(one.client) ? add(entry, one) : unchanged(one);
    outcomes.push(outcome);
    if (outcome.changed) note(`Deputy is in ${outcome.file}`);
    const words = describe(outcome);
    if (words !== "") tell(words.split("\n").map(plain).join("\n"));
  }
  const waiting = outcomes.filter(({ present, error }) => !present && error === null);
  if (waiting.length > 0 && !choices.noClients) tell(describeWaiting(waiting));
  return outcomes;
}

async function whichClients(known: readonly KnownClient[], choices: Choices): Promise<readonly string[]> {
  const open = known.filter(({ edited, present }) => edited && !present);
  if (choices.clients.length > 0 || choices.noClients || !choices.asks || open.length === 0)
    return choices.clients;
  return chooseMany(
    "Add Deputy to which of these? None is chosen; Enter goes on.",
    open.map(({ client, title, file }) => ({ value: client, label: title, hint: plain(`changes ${file}`) })),
  );
}

function add(entry: McpEntry, one: KnownClient): ClientOutcome {
  try {
    const { file, changed, backup, after }: InstalledClient = entry.install(one.client);
    return { ...one, file, changed, backup, after, present: true, error: null };
  } catch (error) {
    // One client's broken settings do not keep Deputy from the others.
    if (!(error instanceof DeputyError)) throw error;
    return { ...unchanged(one), error };
  }
}

function unchanged(one: KnownClient): ClientOutcome {
  return { ...one, changed: false, backup: null, after: null, error: null };
}

function describe({ title, file, changed, present, backup, after, error }: ClientOutcome): string {
  if (error !== null) return `${error.message}${error.hint === undefined ? "" : `\n  ${error.hint}`}`;
  if (!changed) return present ? `Deputy is in the settings of ${title} already (${file}).` : "";
  const kept = backup === null ? "" : ` What it was is in ${backup}.`;
  return `Added Deputy to ${title}: ${file}.${kept}${after === null ? "" : `\n  ${after}`}`;
}

function describeWaiting(clients: readonly KnownClient[]): string {
  return clients
    .map(
      ({ client, title, edited }) =>
        `To use it from ${title}: deputy mcp install ${client}${edited ? "" : " --print"}`,
    )
    .join("\n");
}
