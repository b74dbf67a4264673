import { ADA, GRACE, type Scene } from "../scene.ts";
import { REASON } from "../stage.ts";

interface Session {
  readonly id: string;
  readonly agent: string;
  readonly tabs: readonly { readonly title: string }[];
}

/** Two agents browse at once, each as one account, and neither sees the other. */
export async function browserSessions({ stage, site, machine, browser }: Scene): Promise<void> {
  stage.chapter(
    "Two agents browse, each in a session of its own",
    "Agents that share a browser share its logins, its pages and its mistakes.",
  );
  if (browser === undefined || browser.id !== "chromium" || !browser.real)
    return stage.skip("browser sessions for agents", "they need a Chromium that runs here");
  const sessions: Session[] = [];
  for (const [agent, identity] of [
    ["scout", ADA],
    ["pilot", GRACE],
  ] as const) {
    await stage.ask(machine, [
      "grants",
      "add",
      "--skill",
      "@session",
      "--identity",
      identity,
      "--agent",
      agent,
    ]);
    const open = ["session", "open", "--identity", identity, "--url", site.url()];
    await stage.command(machine, open, { agent, show: /http/ });
    const listed = await stage.ask(machine, ["session", "list", "--json"], { agent });
    sessions.push(...(JSON.parse(listed.stdout) as Session[]));
  }
  const [scout, pilot] = sessions;
  stage.expect(
    scout?.tabs[0]?.title === "Notes of ada" && pilot?.tabs[0]?.title === "Notes of grace",
    "one browser: scout's page is Ada's, pilot's is Grace's",
  );
  const evaluate = ["session", "act", scout?.id ?? "", "evaluate", "document.title"];
  await stage.command(machine, evaluate, { agent: "pilot", status: 1, show: REASON });
  await stage.ask(machine, ["session", "open", "--identity", ADA], { agent: "pilot", status: 4 });
  stage.expect(
    sessions.length === 2 && scout?.agent === "scout" && pilot?.agent === "pilot",
    "each lists its own session only; pilot cannot use scout's, nor open one with Ada's login",
  );
}
