import type { NodeSelector, NodeSelectorRequirement } from '#schema/generated/core.v1.ts';

function listText(requirements: readonly NodeSelectorRequirement[]): string {
  return requirements
    .map(({ key, operator, values }) => `{${key} ${operator} [${(values ?? []).join(' ')}]}`)
    .join(' ');
}

/** A node selector in a table, term by term: `MatchExpressions: [{zone In [a b]} {gpu Exists []}]`. */
export function nodeSelectorText(selector: NodeSelector | undefined): string {
  if (selector === undefined) return '<none>';
  const lists = (selector.nodeSelectorTerms ?? []).flatMap(({ matchExpressions, matchFields }) => [
    ['MatchExpressions', matchExpressions ?? []] as const,
    ['MatchFields', matchFields ?? []] as const,
  ]);
  return lists
    .filter(([, requirements]) => requirements.length > 0)
    .map(([name, requirements]) => `${name}: [${listText(requirements)}]`)
    .join(',');
}
