const FENCE = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

interface SplitReadme {
  /** YAML, on the lines it stands on in the file. Null: there is none. */
  readonly front: string | null;
  readonly body: string;
}

/** The ancestor's readme files may begin with what others write into a skill.yaml. */
export function splitReadme(text: string): SplitReadme {
  const found = FENCE.exec(text);
  if (found === null) return { front: null, body: text };
  return { front: `\n${found[1] ?? ""}\n`, body: text.slice(found[0].length).replace(/^(?:\r?\n)+/, "") };
}
