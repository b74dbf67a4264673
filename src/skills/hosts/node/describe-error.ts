const { fileURLToPath } = process.getBuiltinModule("node:url");
const { types } = process.getBuiltinModule("node:util");

/** An error as the engine hears of it: with the frames of the skill's own files, by their path in its folder. */
export function describeError(error: unknown, folder: string): object {
  // Of any realm: code may have made one of its own.
  if (!types.isNativeError(error)) return { name: "Error", message: sayThrown(error) };
  const { name, message }: { name: unknown; message: unknown } = error;
  const code: unknown = Reflect.get(error, "code");
  const stack = ownFrames(String(error.stack), folder);
  return {
    name: String(name),
    message: String(message).replaceAll(`file://${folder}/`, "").replaceAll(`${folder}/`, ""),
    ...(typeof code === "string" ? { code } : {}),
    ...(stack === "" ? {} : { stack }),
  };
}

function sayThrown(thrown: unknown): string {
  try {
    return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return "something that cannot be shown was thrown";
  }
}

function ownFrames(stack: string, folder: string): string {
  const frames: string[] = [];
  for (const line of stack.split("\n")) {
    // A frame, or the line above a syntax error: `file:///…/exa.ts:3`.
    const place = /(?:file:\/\/)?(\/[^():]*):(\d+(?::\d+)?)\)?$/.exec(line);
    const path = place?.[1] === undefined ? "" : line.includes("file://") ? decode(place[1]) : place[1];
    if (place === null || !path.startsWith(`${folder}/`)) continue;
    const called = /^\s*at (?:async )?(.+?) \(/.exec(line)?.[1];
    const where = `${path.slice(folder.length + 1)}:${place[2]}`;
    frames.push(called === undefined ? where : `${called} (${where})`);
  }
  return frames.join("\n");
}

function decode(path: string): string {
  try {
    return fileURLToPath(`file://${path}`);
  } catch {
    return path;
  }
}
