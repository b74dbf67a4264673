import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname } from "node:path";
import { type Environment, findProgram, runProcess } from "../../platform/index.ts";

interface Hidden {
  readonly env: Environment;
  /** Deputy's own folder. */
  readonly home: string;
  /** What the browser may write: sessions' files. */
  readonly files: string;
  /** Where the program is, links followed. */
  readonly program: string;
  readonly headed: boolean;
}

/**
 * A file system without the owner's files, for a program that pages talk to: through an open endpoint a client could
 * otherwise read them by `file://` and by choosing files for a page. The profile is in the jail's own /tmp and is gone
 * with it. Undefined where there is no bubblewrap, or it may not work.
 */
export async function browserJail(options: Hidden): Promise<readonly string[] | undefined> {
  const { env, home, files, program, headed } = options;
  if (process.platform !== "linux") return undefined;
  const bwrap = findProgram("bwrap", env);
  if (bwrap === undefined) return undefined;
  const users = [env["HOME"] || homedir(), userInfo().homedir];
  const runtime = env["XDG_RUNTIME_DIR"] || `/run/user/${userInfo().uid}`;
  const hidden = ["/tmp", "/var/tmp", runtime, ...users, home].filter(
    (path, at, all) => path !== "/" && existsSync(path) && all.indexOf(path) === at,
  );
  const shown = headed ? ["/tmp/.X11-unix", env["XAUTHORITY"], waylandOf(env, runtime)] : [];
  const folder = dirname(program);
  const covered = hidden.some((path) => folder === path || folder.startsWith(`${path}/`));
  const jail = [
    bwrap,
    ..."--ro-bind / / --dev /dev --proc /proc".split(" "),
    ...hidden.flatMap((path) => ["--tmpfs", path]),
    ...shown.flatMap((path) => (path !== undefined && existsSync(path) ? ["--ro-bind-try", path, path] : [])),
    ...(covered ? ["--ro-bind", folder, folder] : []),
    "--bind",
    files,
    files,
    ..."--unshare-pid --unshare-ipc --die-with-parent --new-session --".split(" "),
  ];
  const [first = bwrap, ...rest] = jail;
  const works = await runProcess([first, ...rest, "/bin/true"], { env, timeoutMs: 10_000 }).catch(
    () => undefined,
  );
  return works?.status === 0 ? jail : undefined;
}

function waylandOf(env: Environment, runtime: string): string | undefined {
  const name = env["WAYLAND_DISPLAY"];
  return name === undefined ? undefined : name.startsWith("/") ? name : `${runtime}/${name}`;
}
