import type { NodeSelector } from '../../schema/generated/core.v1.ts';

/** A node selector as tables show it: what every term asks for, one after the other. */
export function nodeSelectorText(selector: NodeSelector | undefined): string {
  const requirements = (selector?.nodeSelectorTerms ?? []).flatMap((term) => [
    ...(term.matchExpressions ?? []),
    ...(term.matchFields ?? []),
  ]);
  if (requirements.length === 0) return '<none>';
  return requirements
    .map(({ key, operator, values }) => {
      const list = (values ?? []).join(',');
      switch (operator) {
        case 'In':
          return `${key} in (${list})`;
        case 'NotIn':
          return `${key} notin (${list})`;
        case 'DoesNotExist':
          return `!${key}`;
        case 'Gt':
          return `${key}>${list}`;
        case 'Lt':
          return `${key}<${list}`;
        default:
          return key;
      }
    })
    .join(',');
}
