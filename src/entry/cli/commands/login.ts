import type { Command } from "commander";
import type { LoginDone, LoginPlan, Progress } from "../../../engine/index.ts";
import { DeputyError, shellWord } from "../../../kernel/index.ts";
import { define, given, type Options, text } from "../define.ts";
import { readKeyOrJson } from "../input.ts";
import { ask, askHidden, askLine, isInteractive } from "../prompt.ts";
import { say } from "../say.ts";
import type { Shell } from "../shell.ts";
import { plain } from "../table.ts";

const WAIT_MS = 5 * 60_000;

interface Target {
  readonly target: string;
  readonly connection?: string;
  readonly account?: string;
}

export function addLogin(program: Command): void {
  define(program, {
    usage: "login <skill|domain>",
    summary: "log in once, for every skill that uses this service",
    example: "deputy login github.com",
    options: [
      ["--connection <name>", "which of the skill's connections"],
      ["--account <account>", "which account, where you have several"],
      ["--provider <browser>", "take the login of this browser: chromium, firefox:Work"],
      ["--no-window", "open no window: log in in your own browser"],
      ["--device", "OAuth: type a code on another device"],
      ["--wait <seconds>", "how long to wait for you (default: 300 at a terminal, else 0)"],
    ],
    async run(shell, [name = ""], options) {
      const target = targetOf(name, options);
      const plan = await shell.call("login.plan", target);
      if (plan.could_go_to.length > 0) {
        const hosts = plan.could_go_to.join(", ");
        say(`Beware: ${plan.skill ?? plan.connection} could send the login of ${plan.domain} to ${hosts}.`);
      }
      const done = await byType(shell, plan, target, options);
      if (done.kept === true) return shell.show(done, plain(keptWords(done)));
      const who =
        done.display === null || done.display === done.account
          ? done.account
          : `${done.display} (${done.account})`;
      const checked = done.checked ? "" : " Nobody could be asked whether it works.";
      shell.show(done, plain(`Logged in at ${done.domain} as ${who}.${checked}`));
    },
  });
}

function keptWords({ domain, account, source }: LoginDone): string {
  const removal = `deputy vault remove ${shellWord(domain)} ${shellWord(account)} --type cookies`;
  const kept = `The vault's login at ${domain} is newer than ${source}'s and was kept.`;
  return `${kept} Nobody could be asked which one works. To take ${source}'s, first: ${removal}`;
}

function byType(shell: Shell, plan: LoginPlan, target: Target, options: Options): Promise<LoginDone> {
  switch (plan.type) {
    case "api_key":
      return byKey(shell, plan, target);
    case "oauth":
      return byOAuth(shell, plan, target, options);
    case "cookies":
      return byBrowser(shell, plan, target, options);
  }
}

async function byKey(shell: Shell, plan: LoginPlan, target: Target): Promise<LoginDone> {
  const what = plan.label ?? "API key";
  if (!isInteractive()) {
    return shell.call("login.key", { ...target, values: await readKeyOrJson(what) });
  }
  if (plan.help_url !== null) say(`You get one at ${plan.help_url}`);
  const key = (await askHidden(plain(`${what} for ${plan.domain}`))).trim();
  if (key === "") throw new DeputyError("CANCELLED", "Nothing was stored");
  const values: Record<string, string> = { key };
  for (const field of plan.fields.filter((one) => one !== "key")) {
    const value = (await askHidden(`${field.replaceAll("_", " ")}, if there is one`)).trim();
    if (value !== "") values[field] = value;
  }
  return shell.call("login.key", { ...target, values });
}

async function byOAuth(shell: Shell, plan: LoginPlan, target: Target, options: Options): Promise<LoginDone> {
  const client = plan.oauth?.needs_client === true ? await askClient(plan) : undefined;
  const over = new AbortController();
  let shown = false;
  const onProgress = ({ message, url, code, flow }: Progress) => {
    if (url === undefined || shown) return;
    shown = true;
    say(code === undefined ? `${message}:\n  ${url}` : `${message} ${url}\n  ${code}`);
    if (flow !== undefined && isInteractive()) void offerPaste(shell, flow, over.signal);
  };
  try {
    return await shell.call(
      "login.oauth",
      {
        ...target,
        open: isInteractive(),
        ...(options["device"] === true ? { device: true } : {}),
        ...(client === undefined ? {} : { client }),
      },
      onProgress,
    );
  } finally {
    over.abort();
  }
}

/** For a browser on another machine: it ends at an address that leads nowhere there, and everything is in it. */
async function offerPaste(shell: Shell, flow: string, signal: AbortSignal): Promise<void> {
  say("Is your browser on another machine? Paste the address it ended at here and press Enter.");
  for (;;) {
    const address = await askLine(signal);
    if (address === undefined) return;
    if (address.trim() === "") continue;
    const { accepted, reason } = await shell.call("login.paste", { flow, address: address.trim() });
    if (accepted) return;
    say(`That was not it: ${reason ?? ""}`);
  }
}

async function askClient(plan: LoginPlan): Promise<{ client_id: string; client_secret?: string }> {
  const { oauth, domain } = plan;
  const service = oauth?.service ?? domain;
  if (!isInteractive()) {
    const where = oauth?.client_help_url;
    throw new DeputyError(
      "LOGIN_NEEDED",
      `${service} wants to know which program asks, and there is no client id yet`,
      {
        hint: `Register a client${typeof where === "string" ? ` at ${where}` : ""}, then run this in a terminal: it asks for the id and the secret.`,
      },
    );
  }
  say(`${service} wants to know which program asks. Register one, of the kind "desktop" or "native":`);
  if (typeof oauth?.client_help_url === "string") say(`  ${oauth.client_help_url}`);
  say(`  redirect address: ${oauth?.redirect_uri_hint ?? ""}`);
  const client_id = (await ask("Client id")).trim();
  const client_secret = (
    await askHidden(oauth?.needs_secret === true ? "Client secret" : "Client secret, if there is one")
  ).trim();
  return { client_id, ...(client_secret === "" ? {} : { client_secret }) };
}

async function byBrowser(
  shell: Shell,
  plan: LoginPlan,
  target: Target,
  options: Options,
): Promise<LoginDone> {
  const provider = text(options, "provider");
  const window = plan.window && provider === undefined && options["window"] !== false && isInteractive();
  const seconds = text(options, "wait");
  const wait_ms = seconds === undefined ? (isInteractive() ? WAIT_MS : 0) : asMilliseconds(seconds);
  const where = plan.browsers.length === 0 ? "" : ` Deputy looks in ${plan.browsers.join(", ")}.`;
  for (const way of plan.ways) say(`There is a login ${way} too.`);
  const input = { ...target, wait_ms, window, ...(provider === undefined ? {} : { provider }) };
  if (!window && !plan.telling && isInteractive()) {
    say(`Log in at ${plan.page ?? plan.domain}.${where}`);
    await ask("Press Enter when you are logged in", "done");
    return shell.call("login.cookies", { ...input, wait_ms: 0 });
  }
  return shell.call("login.cookies", input, ({ url }) => {
    if (url === undefined) return;
    const close = plan.telling ? "" : " Close it when you are logged in.";
    say(window ? `A window has opened: log in there.${close}` : `Log in at ${url}.${where}`);
  });
}

function asMilliseconds(seconds: string): number {
  const value = Number(seconds);
  if (Number.isFinite(value) && value >= 0 && value <= 3600) return Math.round(value * 1000);
  throw new DeputyError("BAD_USAGE", "--wait is a number of seconds, at most 3600");
}

function targetOf(target: string, options: Options): Target {
  return { target, ...given(options, "connection", "account") };
}
