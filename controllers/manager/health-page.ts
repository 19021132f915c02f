/**
 * The text of `/healthz`. With `verbose` it lists all checks. A listed check always passes, because a program that
 * cannot renew a lease ends its term and its controllers.
 */
export function healthPage(checks: readonly string[], query: URLSearchParams): string {
  if (!query.has('verbose')) return 'ok';
  const excluded = new Set(query.getAll('exclude'));
  const lines = checks.map((name) => (excluded.has(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`));
  const unknown = [...excluded].filter((name) => !checks.includes(name)).sort();
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  return `${lines.join('\n')}\nhealthz check passed\n`;
}
