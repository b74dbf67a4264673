import { join } from "node:path";
import { shownName } from "./browser-profile.ts";
import { asObject, findJsonFile } from "./small-file.ts";

interface Container {
  /** `userContextId` in origin attributes. */
  readonly id: number;
  readonly name: string;
}

/** The four every profile starts with carry no name of their own, only a key to translate. */
const TRANSLATED = new Map([
  ["user-context-personal", "Personal"],
  ["user-context-work", "Work"],
  ["user-context-banking", "Banking"],
  ["user-context-shopping", "Shopping"],
]);
const OLDER_KEY = /^userContext(Personal|Work|Banking|Shopping)\.label$/;

/** The containers of a profile the owner can see, as containers.json lists them. */
export function firefoxContainers(profile: string): Container[] {
  const listed = findJsonFile(join(profile, "containers.json"))?.["identities"];
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((entry: unknown) => {
    const identity = asObject(entry);
    const id = identity?.["userContextId"];
    if (identity?.["public"] !== true || typeof id !== "number" || !Number.isInteger(id) || id <= 0)
      return [];
    const key = identity["l10nId"] ?? identity["l10nID"];
    const translated =
      typeof key === "string" ? (TRANSLATED.get(key) ?? OLDER_KEY.exec(key)?.[1]) : undefined;
    return [{ id, name: shownName(identity["name"], translated ?? `container ${id}`) }];
  });
}
