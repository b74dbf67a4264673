/**
 * Calls `make` with these variables set (or removed, where undefined) in the process's real environment, and puts back
 * what was there. Native code reads the environment by itself and offers no argument instead; nothing else runs
 * meanwhile as long as `make` reads it before its first await.
 */
export function withNativeEnvironment<T>(
  variables: Readonly<Record<string, string | undefined>>,
  make: () => T,
): T {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  try {
    for (const [name, value] of Object.entries(variables)) assign(name, value);
    return make();
  } finally {
    for (const [name, value] of before) assign(name, value);
  }
}

function assign(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
