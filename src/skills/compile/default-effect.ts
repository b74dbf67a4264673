import type { Executor, StepExecutor } from "../executor.ts";
import type { Effect } from "../skill.ts";

/** What an operation does to the world where its manifest does not say: reading only where that can be seen. */
export function defaultEffect(executor: Executor | StepExecutor): Effect {
  switch (executor.kind) {
    case "rest":
      return executor.method === "GET" || executor.method === "HEAD" ? "read" : "write";
    case "graphql":
      return isQuery(executor.query) ? "read" : "write";
    case "sql":
      return executor.write ? "write" : "read";
    case "steps":
      return executor.steps.every((step) => defaultEffect(step.executor) === "read") ? "read" : "write";
    case "keychain":
    case "crypto":
    case "plist":
    case "csv":
      return "read";
    case "command":
    case "typescript":
    case "python":
      return "write";
  }
}

/** Whether a GraphQL document only has queries: no other kind of operation stands outside its braces. */
function isQuery(document: string): boolean {
  const bare = document.replaceAll(/"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*/g, " ");
  let depth = 0;
  for (const [token] of bare.matchAll(/[{}()]|[A-Za-z_]\w*/g)) {
    if (token === "{" || token === "(") depth++;
    else if (token === "}" || token === ")") depth--;
    else if (depth === 0 && (token === "mutation" || token === "subscription")) return false;
  }
  return true;
}
