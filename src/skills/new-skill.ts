import { stringify } from "yaml";
import { DeputyError } from "../kernel/index.ts";
import { isReservedId, reservedWords } from "./reserved-ids.ts";

/** The files of a new skill: they load, validate without a word and test green as they are. */
export function newSkill(name: string, { local }: { local: boolean }): ReadonlyMap<string, string> {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) {
    throw new DeputyError("BAD_INPUT", "A skill's name is lower-case letters, digits, - and _, at most 64", {
      hint: "For example: deputy skills new my-service",
    });
  }
  if (isReservedId(name)) {
    throw new DeputyError("BAD_INPUT", `A skill ${reservedWords(name)}`, {
      hint: `For example: deputy skills new my-${name}`,
    });
  }
  const title = name.replace(/^./, (letter) => letter.toUpperCase()).replaceAll(/[-_]+/g, " ");
  return new Map(local ? localFiles(name, title) : entityFiles(name, title));
}

function entityFiles(name: string, title: string): [string, string][] {
  return [
    [
      "skill.yaml",
      `id: ${scalar(name)}
name: ${scalar(title)}
description: Finds and reads things at ${title}
website: https://example.com

connections:
  api:
    base_url: https://api.example.com
    auth:
      type: api_key
      header: { Authorization: '"Bearer " + .auth.key' }
    label: API key
    help_url: https://example.com/api-keys

operations:
  search:
    description: Search by words
    returns: webpage[]
    params:
      query: { type: string, required: true, description: What to look for }
      limit: { type: integer, default: 10, description: How many results }
    rest:
      url: /search
      query: { q: .params.query, limit: .params.limit }
      response:
        root: /results
        mapping:
          id: .id
          name: .title
          url: .url
          text: .summary
          published: .created_at
    test:
      params: { query: hello }
      skip: needs a key for the service

  get:
    description: Read one of them in full
    returns: webpage
    params:
      id: { type: string, required: true, description: As search gives it }
    rest:
      url: '"/items/" + (.params.id | @uri)'
      response:
        mapping:
          id: .id
          name: .title
          url: .url
          content: .body
    test:
      params: { id: "1" }
      skip: needs a key for the service
`,
    ],
    [
      "readme.md",
      `# ${title}

When to use it, in a sentence or two.

- \`search\` finds things by words; ask for 10 or fewer.
- \`get\` reads one of them in full, by the id \`search\` gave.

The owner stores a key with \`deputy vault set example.com NAME --type api_key\`.
`,
    ],
  ];
}

function localFiles(name: string, title: string): [string, string][] {
  const module = `${name.replaceAll("-", "_")}.ts`;
  return [
    [
      "skill.yaml",
      `id: ${scalar(name)}
name: ${scalar(title)}
description: Does something on this machine

operations:
  greet:
    description: Say hello, to see that everything works
    effect: read
    returns: { greeting: string, at: datetime }
    params:
      who: { type: string, default: world, description: Whom to greet }
    typescript: { module: ./${module}, function: greet }
`,
    ],
    [
      module,
      `import type { Run } from "deputize/skill";

export async function greet({ params }: Run) {
  return { greeting: \`Hello, \${params.who}\`, at: new Date().toISOString() };
}
`,
    ],
    [
      "readme.md",
      `# ${title}

When to use it, in a sentence or two.

- \`greet\` says hello. Replace it by something useful.

It needs no login and reaches no network.
`,
    ],
  ];
}

/** In quotes where YAML would read something else than text. */
function scalar(text: string): string {
  return stringify(text).trim();
}
