import type { Connection } from "../auth/index.ts";
import type { Skill } from "./skill.ts";

/**
 * Where a login at the domain, and what was read with it, could go: the hosts of the skill's connections there, then those
 * of its others, because its operations call one another.
 */
export function loginHosts(skill: Skill, domain: string): string[] {
  const all = [...skill.connections.values()];
  const there = all.filter((one) => one.domain === domain);
  return [...new Set([...there, ...all.filter((one) => one.domain !== domain)].flatMap(hostsOf))];
}

function hostsOf({ baseUrl, hosts, auth, domain }: Connection): string[] {
  return [
    ...(baseUrl === null ? [] : [baseUrl.host]),
    ...(hosts === "any" ? [] : hosts),
    ...(auth?.type === "cookies" ? [`*.${domain}`] : []),
  ];
}
