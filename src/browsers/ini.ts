export interface IniSection {
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/** The sections of a file such as Firefox's profiles.ini. Lines that are neither a section nor `key=value` are passed over. */
export function parseIni(text: string): IniSection[] {
  const sections: { name: string; values: Map<string, string> }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const section = /^\[(.+)\]\s*$/.exec(line)?.[1];
    if (section !== undefined) sections.push({ name: section, values: new Map() });
    const equals = line.indexOf("=");
    if (section === undefined && equals > 0 && !/^[;#]/.test(line))
      sections.at(-1)?.values.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
  }
  return sections;
}
