import type { IntOrString } from '../values/int-or-string.ts';
import { shownList } from './go-list.ts';
import type { LabelSelector } from './label-selector.ts';
import type { Labels } from './labels.ts';

/** Labels as messages show them, in the order of their keys: `map[string]string{"app":"a"}`. */
export function shownLabels(labels: Labels | null | undefined): string {
  if (labels === undefined || labels === null) return 'map[string]string(nil)';
  const entries = Object.keys(labels)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(labels[key])}`);
  return `map[string]string{${entries.join(', ')}}`;
}

/** A selector as messages show it, with the names that clients know its types by. */
export function shownSelector(selector: LabelSelector | null | undefined): string {
  if (selector === undefined || selector === null) return '"null"';
  const requirements = selector.matchExpressions?.map(
    ({ key = '', operator = '', values }) =>
      `v1.LabelSelectorRequirement{Key:${JSON.stringify(key)}, Operator:${JSON.stringify(operator)}, Values:${shownList('string', values)}}`,
  );
  const list = requirements === undefined ? '(nil)' : `{${requirements.join(', ')}}`;
  return `v1.LabelSelector{MatchLabels:${shownLabels(selector.matchLabels)}, MatchExpressions:[]v1.LabelSelectorRequirement${list}}`;
}

/** A count or a text in messages, for a field that takes both. */
export function shownIntOrString(value: IntOrString): string {
  const [type, number, text] = typeof value === 'string' ? [1, 0, value] : [0, value, ''];
  return `intstr.IntOrString{Type:${type}, IntVal:${number}, StrVal:${JSON.stringify(text)}}`;
}
