/** Asks once a domain: a push has thousands of cookies and few domains, and what is asked costs microseconds. */
export function perDomain<V>(ask: (domain: string) => V): (domain: string) => V {
  const known = new Map<string, V>();
  return (domain) => known.getOrInsertComputed(domain, ask);
}
