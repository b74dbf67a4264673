import { type Environment, findProgram, runProcess } from "../../platform/index.ts";

/** A Python that can run where only `folders` and the system's libraries are. */
export interface PythonInstallation {
  /** The interpreter itself: what is on PATH may be a script that looks for one. */
  readonly executable: string;
  readonly folders: readonly string[];
  readonly version: string;
}

const OLDEST = [3, 9] as const;
const ASK = `
import json, os, sys, sysconfig
paths = [sys.prefix, sys.base_prefix, sys.executable, os.path.realpath(sys.executable), *sys.path, sysconfig.get_config_var("LIBDIR")]
print(json.dumps({"executable": sys.executable, "version": list(sys.version_info[:3]), "paths": [p for p in paths if p and os.path.exists(p)]}))
`;

/** The first Python of PATH that is new enough, with the packages its owner installed for everybody. */
export async function findPython(env: Environment): Promise<PythonInstallation | undefined> {
  for (const name of ["python3", "python"]) {
    const program = findProgram(name, env);
    if (program === undefined) continue;
    const asked = await runProcess([program, "-I", "-c", ASK], { env, timeoutMs: 10_000 }).catch(
      () => undefined,
    );
    if (asked?.status !== 0) continue;
    const { executable, version, paths } = JSON.parse(asked.stdout.toString()) as {
      executable: string;
      version: [number, number, number];
      paths: string[];
    };
    if (version[0] < OLDEST[0] || (version[0] === OLDEST[0] && version[1] < OLDEST[1])) continue;
    return { executable, version: version.join("."), folders: outermost(paths) };
  }
  return undefined;
}

/** Without what a jail shows anyway, and without what lies in another of them. */
function outermost(paths: readonly string[]): string[] {
  const within = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
  const system = ["/usr", "/bin", "/lib", "/lib64"];
  const own = [...new Set(paths)].filter((path) => !system.some((folder) => within(path, folder)));
  return own.filter((path) => !own.some((other) => other !== path && within(path, other)));
}
