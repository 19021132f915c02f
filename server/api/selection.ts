import type { Item } from '../cache/item.ts';
import { type FieldSelector, parseFieldSelector } from './field-selector.ts';
import { type LabelSelector, parseLabelSelector } from './label-selector.ts';
import type { ServedResource } from './served-resource.ts';
/** Both selectors of a request. */
export interface Selection {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly everything: boolean;
}

/** Reads the selectors of a list, watch or deletecollection. Throws 400 on malformed ones. */
export function selection(
  served: ServedResource,
  options: { labelSelector: string | null; fieldSelector: string | null },
): Selection {
  const known = served.type.selectableFields;
  const accepted = new Set([
    'metadata.name',
    // kinds of their own labels have those that they name, all others have both of the metadata
    ...(served.type.namespaced || known.length === 0 ? ['metadata.namespace'] : []),
    ...known,
  ]);
  const labels = parseLabelSelector(options.labelSelector);
  const fields = parseFieldSelector(options.fieldSelector, {
    accepted,
    unknown: (label) =>
      known.length > 0
        ? `field label not supported: ${label}`
        : `"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  });
  return { labels, fields, everything: labels.everything && fields.everything };
}

export function selects(selected: Selection, item: Item): boolean {
  return selected.everything || (selected.labels.matches(item.labels) && selected.fields.matches(item));
}
