import { isCalledByAgent } from "../../engine/index.ts";
import { DeputyError } from "../../kernel/index.ts";
import type { Options } from "./define.ts";
import type { Entries } from "./entries.ts";
import type { Shell } from "./shell.ts";
import { plain } from "./table.ts";

interface Unit {
  readonly name: string;
  readonly summary: string;
  readonly args: readonly string[];
}

export const UNIT_OPTIONS = [
  ["--install", "write a service of your system that runs this whenever you are logged in"],
  ["--uninstall", "remove that service"],
  ["--print", "only show what --install would write, and where"],
] as const;

/** Does what those options ask for; false where none was given. */
export async function installUnit(
  shell: Shell,
  { units: load }: Entries,
  options: Options,
  unit: Unit,
): Promise<boolean> {
  const [print, install, uninstall] = ["print", "install", "uninstall"].map((name) => options[name] === true);
  if (!print && !install && !uninstall) return false;
  if (install && uninstall)
    throw new DeputyError("BAD_USAGE", "--install and --uninstall exclude each other", { hint: "Give one." });
  const units = await load();
  if (print) {
    const { file, text } = units.print(unit);
    shell.show({ file, text }, `${plain(file)}:\n\n${text.trimEnd()}`);
    return true;
  }
  if (isCalledByAgent())
    throw new DeputyError("DENIED", "An agent installs no services", {
      hint: "Run it yourself, in a terminal.",
    });
  const done = install ? units.install(unit) : units.uninstall(unit.name);
  const what = install
    ? done.changed
      ? "Written. Nothing runs yet; to start it now and at every login:"
      : "It was written already. To start it now and at every login:"
    : done.changed
      ? "Removed. If it runs, this ends it:"
      : "There was none. If it runs all the same, this ends it:";
  shell.show(done, [done.file, what, `  ${done.next}`].map(plain).join("\n"));
  return true;
}
