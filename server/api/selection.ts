import type { IndexKey } from '../cache/index-key.ts';
import type { Item } from '../cache/item.ts';
import type { WatchPredicate } from '../cache/watch-predicate.ts';
import { ALL_FIELDS, type FieldSelector, parseFieldSelector } from './field-selector.ts';
import { ALL_LABELS, type LabelSelector, parseLabelSelector } from './label-selector.ts';
import type { ServedResource } from './served-resource.ts';
/** Both selectors of a request. */
export interface Selection {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly everything: boolean;
  /** The key of an index that all selected objects have; undefined if the selectors do not have that form. */
  readonly indexKey: IndexKey | undefined;
}

const EVERYTHING: Selection = {
  labels: ALL_LABELS,
  fields: ALL_FIELDS,
  everything: true,
  indexKey: undefined,
};

/**
 * Reads the selectors of a list, watch or deletecollection.
 *
 * @throws StatusError (400) for malformed selectors
 */
export function selection(
  served: ServedResource,
  options: { labelSelector: string | null; fieldSelector: string | null },
): Selection {
  const known = served.type.selectableFields;
  const accepted = new Set([
    'metadata.name',
    // Some kinds have their own field labels. All others have the two labels of the metadata.
    ...(served.type.namespaced || known.length === 0 ? ['metadata.namespace'] : []),
    ...known,
  ]);
  const labels = parseLabelSelector(options.labelSelector);
  const fields = parseFieldSelector(options.fieldSelector, {
    accepted,
    unknown: (label) =>
      known.length > 0 || served.isCustom === true
        ? `field label not supported: ${label}`
        : `"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  });
  // Most requests select everything, and a watch keeps its selection.
  if (labels === EVERYTHING.labels && fields === EVERYTHING.fields) return EVERYTHING;
  const everything = labels.everything && fields.everything;
  return { labels, fields, everything, indexKey: fields.equality ?? labels.equality };
}

/** Whether a selection names exactly one object of a namespace, or of a kind without namespaces. */
export function namesOne({ fields }: Selection, namespaced: boolean, namespace: string): boolean {
  return fields.name !== undefined && (!namespaced || namespace !== '');
}

/**
 * The smallest known set of objects that contains the selection, in a namespace or, with '', in all. It is smaller than
 * the whole collection if a selector names an indexed value.
 */
export function watchPredicateOf(selected: Selection, namespaced: boolean, namespace: string): WatchPredicate {
  const prefix = namespace === '' ? '' : `${namespace}/`;
  return namesOne(selected, namespaced, namespace)
    ? { scope: prefix + selected.fields.name! }
    : { scope: prefix, indexKey: selected.indexKey };
}

export function selects(selected: Selection, item: Item): boolean {
  return selected.everything || (selected.labels.matches(item.labels) && selected.fields.matches(item));
}
