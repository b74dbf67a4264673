/** What a person sees where a fenced session may not go. */
export function refusalPage(reason: string): string {
  const text = reason.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html><meta charset="utf-8"><title>Outside the fence</title><h1>Outside the fence</h1><p>${text}</p>`;
}
