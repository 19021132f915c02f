import type { LabelSelector } from '#schema/generated/meta.v1.ts';

export type Labels = Readonly<Record<string, string>>;

/**
 * Whether a selector of an object selects these labels. A missing selector selects nothing, and an empty selector
 * selects everything.
 *
 * @example selects({ matchLabels: { app: 'web' } }, { app: 'web', tier: 'front' }) // true
 */
export function selects(selector: LabelSelector | null | undefined, labels: Labels = {}): boolean {
  if (selector === undefined || selector === null) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    hasLabels(matchLabels, labels) &&
    (matchExpressions ?? []).every(({ key, operator, values }) => {
      const there = Object.hasOwn(labels, key);
      switch (operator) {
        case 'In':
          return there && (values ?? []).includes(labels[key]!);
        case 'NotIn':
          return !there || !(values ?? []).includes(labels[key]!);
        case 'Exists':
          return there;
        case 'DoesNotExist':
          return !there;
        default:
          return false;
      }
    })
  );
}

/** Whether labels have all of these values. Selectors of services have this form. */
export function hasLabels(wanted: Labels | null | undefined, labels: Labels = {}): boolean {
  return Object.entries(wanted ?? {}).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/**
 * A selector in the form of the parameter `labelSelector` of a list; '' for an empty selector.
 *
 * @example selectorText({ matchLabels: { app: 'd' } }) // 'app=d'
 */
export function selectorText(selector: LabelSelector | null | undefined): string {
  const requirements: [key: string, text: string][] = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]): [string, string] => [key, `${key}=${value}`]),
    ...(selector?.matchExpressions ?? []).map(({ key, operator, values }): [string, string] => {
      const list = [...(values ?? [])].sort().join(',');
      if (operator === 'In') return [key, `${key} in (${list})`];
      if (operator === 'NotIn') return [key, `${key} notin (${list})`];
      return [key, operator === 'DoesNotExist' ? `!${key}` : key];
    }),
  ];
  requirements.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return requirements.map(([, text]) => text).join(',');
}
