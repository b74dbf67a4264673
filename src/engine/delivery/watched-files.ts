import { join } from "node:path";
import type { Browsers } from "../../browsers/index.ts";
import type { HomePaths } from "../../platform/index.ts";
import type { Watched } from "../../sync/index.ts";

/** The files in which a change of a login, or of what may be done with it, shows. */
export function watchedFiles({ paths, browsers }: { paths: HomePaths; browsers: Browsers }): Watched[] {
  const stores = browsers.list().flatMap(({ path }) => [path, join(path, "Network")]);
  return [
    { folder: paths.home, file: /^(vault\.db|policy\.yaml|config\.yaml)/ },
    ...[...new Set(stores)].map((folder) => ({ folder, file: /cookies/i })),
  ];
}
