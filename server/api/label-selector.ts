import type { Labels } from '#schema/validation/labels.ts';
import { holds, parseRequirements, type Requirement } from '#schema/validation/requirements.ts';
import type { IndexKey } from '../cache/index-key.ts';

/** A parsed label selector. All its requirements must hold. */
export class LabelSelector {
  readonly #requirements: readonly Requirement[];
  /** A label that has one value in all objects of the selector, and this value, if there is such a label. */
  readonly equality: IndexKey | undefined;

  constructor(requirements: readonly Requirement[]) {
    this.#requirements = requirements;
    const equal = requirements.find(({ operator, values }) => operator === 'in' && values.size === 1);
    this.equality = equal && { of: 'label', name: equal.key, value: [...equal.values][0]! };
  }

  get everything(): boolean {
    return this.#requirements.length === 0;
  }

  matches(labels: Labels | undefined): boolean {
    const { equality } = this;
    // Most selectors require one value of one label.
    if (equality !== undefined && this.#requirements.length === 1)
      return labels !== undefined && labels[equality.name] === equality.value && Object.hasOwn(labels, equality.name);
    for (const requirement of this.#requirements) if (!holds(requirement, labels)) return false;
    return true;
  }
}

/** The selector without requirements. */
export const ALL_LABELS = new LabelSelector([]);

/**
 * Reads a selector such as `app=a,tier in (x,y),!legacy`.
 *
 * @throws StatusError (400) for a malformed selector
 */
export function parseLabelSelector(text: string | null): LabelSelector {
  if (text === null || text === '') return ALL_LABELS;
  return new LabelSelector(parseRequirements(text));
}
