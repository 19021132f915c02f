import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  NodeSelector as Selector,
} from '#schema/generated/core.v1.ts';
import { hasLabels } from './label-selector.ts';

/** The fields of a node that selectors read. */
export interface Selectable {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Whether a pod's selector and affinity allow a node. */
export function allowsNode({ spec }: Pod, node: Selectable): boolean {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return hasLabels(spec?.nodeSelector, node.labels) && (required === undefined || selectsNode(required, node));
}

/** Whether a node selector selects a node. At least one of its terms must match. */
export function selectsNode(selector: Selector, node: Selectable): boolean {
  return (selector.nodeSelectorTerms ?? []).some((term) => termSelects(term, node));
}

/** Whether a term matches. All of its requirements must be met. A term without requirements matches nothing. */
export function termSelects({ matchExpressions, matchFields }: NodeSelectorTerm, node: Selectable): boolean {
  const [labels, fields] = [matchExpressions ?? [], matchFields ?? []];
  if (labels.length + fields.length === 0) return false;
  return (
    labels.every((requirement) => holds(requirement, labelOf(node.labels, requirement.key))) &&
    fields.every((requirement) => holds(requirement, requirement.key === 'metadata.name' ? node.name : undefined))
  );
}

function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

const WHOLE = /^[+-]?\d{1,19}$/;

function holds({ operator, values }: NodeSelectorRequirement, value: string | undefined): boolean {
  const named = values ?? [];
  switch (operator) {
    case 'In':
      return value !== undefined && named.includes(value);
    case 'NotIn':
      return value === undefined || !named.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const [bound = ''] = named;
      if (value === undefined || !WHOLE.test(value) || !WHOLE.test(bound)) return false;
      return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
    }
    default:
      return false;
  }
}
