import type { IntOrString } from '../values/int-or-string.ts';
import { type Shown, shownList } from './go-list.ts';
import type { LabelSelector } from './label-selector.ts';
import type { Labels } from './labels.ts';

/** Labels in messages, in the order of their keys: `map[string]string{"app":"a"}`. */
export function shownLabels(labels: Labels | null | undefined): Shown {
  if (labels === undefined || labels === null) return { typed: 'map[string]string(nil)', json: 'null' };
  const entries = Object.keys(labels)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(labels[key])}`);
  return { typed: `map[string]string{${entries.join(', ')}}`, json: `{${entries.join()}}` };
}

/** A selector in messages, with the names of types that clients know. */
export function shownSelector(selector: LabelSelector | null | undefined): Shown {
  if (selector === undefined || selector === null) return { typed: '"null"', json: 'null' };
  const requirements = selector.matchExpressions?.map(
    ({ key = '', operator = '', values }) =>
      `v1.LabelSelectorRequirement{Key:${JSON.stringify(key)}, Operator:${JSON.stringify(operator)}, Values:${shownList('string', values).typed}}`,
  );
  const list = requirements === undefined ? '(nil)' : `{${requirements.join(', ')}}`;
  const labels = shownLabels(selector.matchLabels);
  const expressions = selector.matchExpressions?.map(({ key = '', operator = '', values }) => ({
    key,
    operator,
    ...((values?.length ?? 0) > 0 && { values }),
  }));
  const parts = [
    ...(Object.keys(selector.matchLabels ?? {}).length > 0 ? [`"matchLabels":${labels.json}`] : []),
    ...((expressions?.length ?? 0) > 0 ? [`"matchExpressions":${JSON.stringify(expressions)}`] : []),
  ];
  return {
    typed: `v1.LabelSelector{MatchLabels:${labels.typed}, MatchExpressions:[]v1.LabelSelectorRequirement${list}}`,
    json: `{${parts.join()}}`,
  };
}

/** A count or a text in messages, for a field that accepts both. */
export function shownIntOrString(value: IntOrString): Shown {
  const [type, number, text] = typeof value === 'string' ? [1, 0, value] : [0, value, ''];
  return {
    typed: `intstr.IntOrString{Type:${type}, IntVal:${number}, StrVal:${JSON.stringify(text)}}`,
    json: JSON.stringify(value),
  };
}
