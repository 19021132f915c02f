const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'inf', 'nan', 'offset']);
/** Matches clauses whose parentheses contain names of labels. */
const GROUPING = /\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g;

/** The names of the metrics that an expression of Prometheus reads. */
export function metricsOf(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"|'[^']*'/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(GROUPING, ' ');
  const names = [...bare.matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?!\w)(?!\s*\()/g)].map(([name]) => name);
  return [...new Set(names.filter((name) => !KEYWORDS.has(name.toLowerCase())))];
}
