import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type ClientKind, clientKinds, type Places, type Way } from "./clients.ts";
import { hasEntry } from "./install.ts";

/** A client we know the settings of, and how it stands on this machine. */
export interface KnownClient {
  readonly client: string;
  readonly title: string;
  readonly file: string;
  /** Whether it is here, by its settings or its program. */
  readonly found: boolean;
  /** Whether Deputy writes its settings itself. */
  readonly edited: boolean;
  /** Whether Deputy is in them already, as it would be written now. */
  readonly present: boolean;
}

interface Parts {
  readonly way: Way;
  readonly places: Places;
  readonly hasProgram: (name: string) => boolean;
}

export function knownClients({ way, places, hasProgram }: Parts): KnownClient[] {
  return Object.entries(clientKinds).map(([client, kind]) => {
    const file = kind.file(places);
    const found = existsSync(file) || hasFolder(file, places) || hasProgram(kind.program);
    return {
      client,
      title: kind.title,
      file,
      found,
      edited: kind.edited,
      present: isPresent(file, kind, way),
    };
  });
}

/** A folder for the settings is made by the client; the home is there for everybody. */
function hasFolder(file: string, { home }: Places): boolean {
  return dirname(file) !== home && existsSync(dirname(file));
}

function isPresent(file: string, kind: ClientKind, way: Way): boolean {
  try {
    return hasEntry(readFileSync(file, "utf8"), kind, way);
  } catch {
    return false; // not there, or not ours to read: told when it is to be changed
  }
}
