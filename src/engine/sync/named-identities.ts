import { DeputyError } from "../../kernel/index.ts";
import { foldDomain } from "../../vault/index.ts";

/** Whether an identity is among those named, `DOMAIN/ACCOUNT` each. */
export function namedIdentities(names: readonly string[] = []) {
  const wanted = new Set(
    names.map((name) => {
      const slash = name.indexOf("/");
      if (slash > 0) return `${foldDomain(name.slice(0, slash))}/${name.slice(slash + 1)}`;
      throw new DeputyError("BAD_INPUT", "Say whose keys: DOMAIN/ACCOUNT", {
        hint: "For example --rows exa.ai/joe@example.com",
      });
    }),
  );
  return ({ domain, identifier }: { readonly domain: string; readonly identifier: string }) =>
    wanted.has(`${domain}/${identifier}`);
}
