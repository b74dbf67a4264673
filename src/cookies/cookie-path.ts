/** RFC 6265bis 5.1.4, the default path: "up to, but not including, the right-most `/`". */
export function cookiePath(attribute: string, urlPath: string): string {
  // 5.6.4: "If the attribute-value is empty or if the first character … is not `/`: let cookie-path be the default-path".
  if (attribute.startsWith("/")) return attribute;
  const end = urlPath.lastIndexOf("/");
  return end <= 0 ? "/" : urlPath.slice(0, end);
}

/** RFC 6265bis 5.1.4: identical, or a prefix that ends in, or is followed by, `/`. */
export function pathMatches(requestPath: string, path: string): boolean {
  if (path === "" || !requestPath.startsWith(path)) return false;
  return requestPath.length === path.length || path.endsWith("/") || requestPath[path.length] === "/";
}
