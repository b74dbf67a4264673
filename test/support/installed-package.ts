/** The package as `npm pack` makes it, installed in an empty folder: nothing of the tree, nor of its devDependencies, is in reach. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const tree = resolve(import.meta.dirname, "../..");
/** Not part of any package; the link to what is installed takes the place of the folder. */
const LEFT_OUT = new Set([".git", "node_modules", "dist", "test", "bench"]);

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class InstalledPackage implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), "deputy-package-"));
  /** Where somebody ran `npm install`, and nothing else. */
  readonly app = join(this.#root, "app");
  readonly home = join(this.#root, "home");
  readonly folder = join(this.app, "node_modules", "deputize");
  readonly files: readonly { readonly path: string; readonly size: number }[];

  constructor() {
    const source = join(this.#root, "source");
    cpSync(tree, source, { recursive: true, filter: (path) => dirname(path) !== tree || !isLeftOut(path) });
    symlinkSync(join(tree, "node_modules"), join(source, "node_modules"));
    const packed = execFileSync(
      "npm",
      ["pack", "--json", "--loglevel=error", "--pack-destination", this.#root],
      {
        cwd: source,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    // The build's own lines come first; npm 12 gives an object by name, npm 11 a list.
    const told = Object.values(JSON.parse(packed.slice(packed.search(/^[[{]$/m)))) as any[];
    this.files = told[0].files;
    mkdirSync(this.folder, { recursive: true });
    mkdirSync(this.home);
    const tarball = join(this.#root, told[0].filename);
    execFileSync("tar", ["-xzf", tarball, "-C", this.folder, "--strip-components=1"]);
    this.#linkDependencies();
  }

  /** As somebody without a setting to their name runs it. */
  run(args: readonly string[], options: { input?: string; cwd?: string } = {}): Ended {
    const launcher = join(this.app, "node_modules", ".bin", "deputy");
    return this.#spawn([launcher, ...args], { ...options, cwd: options.cwd ?? this.app });
  }

  ok(args: readonly string[], options: { input?: string } = {}): string {
    const { status, stdout, stderr } = this.run(args, options);
    if (status !== 0) throw new Error(`deputy ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** Runs a module of the folder's owner. */
  module(text: string): Ended {
    return this.#spawn(["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", text], {
      cwd: this.app,
    });
  }

  #spawn(args: readonly string[], options: { input?: string; cwd: string }): Ended {
    const env = { PATH: process.env["PATH"], HOME: this.home };
    return spawnSync(process.execPath, args, { ...options, env, encoding: "utf8", timeout: 60_000 });
  }

  /** Only what the package itself names: a package that is linked finds its own dependencies where it really is. */
  #linkDependencies(): void {
    const manifest = JSON.parse(readFileSync(join(this.folder, "package.json"), "utf8"));
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
      const real = join(tree, "node_modules", name);
      if (!existsSync(real)) continue; // for another system
      const link = join(this.app, "node_modules", name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(real, link);
    }
    mkdirSync(join(this.app, "node_modules", ".bin"));
    for (const [name, path] of Object.entries<string>(manifest.bin))
      symlinkSync(join("..", "deputize", path), join(this.app, "node_modules", ".bin", name));
  }

  [Symbol.dispose](): void {
    if (existsSync(join(this.home, ".deputy", "run"))) this.run(["engine", "stop"]);
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function isLeftOut(path: string): boolean {
  return LEFT_OUT.has(path.slice(tree.length + 1));
}
