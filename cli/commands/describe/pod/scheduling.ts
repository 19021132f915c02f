import { selectorText } from '#client/label-selector.ts';
import type { PodSpec, Toleration, TopologySpreadConstraint } from '#schema/generated/core.v1.ts';
import type { DescriptionWriter } from '../writer.ts';
import { byText } from './containers.ts';

/** Describes the taints that a pod tolerates. */
export function describeTolerations(writer: DescriptionWriter, level: number, { tolerations }: PodSpec): void {
  writer.list(level, 'Tolerations', byText(tolerations ?? [], ({ key = '' }) => key).map(tolerationText));
}

function tolerationText({ key = '', operator, value = '', effect = '', tolerationSeconds }: Toleration): string {
  let text = key;
  if (value !== '') text += `=${value}`;
  if (effect !== '') text += `:${effect}`;
  if (operator === 'Exists' && value === '') text += text === '' ? 'op=Exists' : ' op=Exists';
  return tolerationSeconds == null ? text : `${text} for ${tolerationSeconds}s`;
}

/** Describes how the scheduler must spread the pods, if the pod has such constraints. */
export function describeSpread(writer: DescriptionWriter, level: number, spec: PodSpec): void {
  const constraints = byText(spec.topologySpreadConstraints ?? [], ({ topologyKey }) => topologyKey);
  if (constraints.length > 0) writer.list(level, 'Topology Spread Constraints', constraints.map(constraintText));
}

function constraintText({ topologyKey, whenUnsatisfiable, maxSkew, labelSelector }: TopologySpreadConstraint): string {
  const of = labelSelector ? ` for selector ${selectorText(labelSelector) || '<none>'}` : '';
  return `${topologyKey}:${whenUnsatisfiable} when max skew ${maxSkew} is exceeded${of}`;
}
