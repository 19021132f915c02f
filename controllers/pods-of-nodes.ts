import type { IndexBy } from '#client/informer/informer.ts';
import type { Pod } from '#schema/generated/core.v1.ts';

/** The pods of a node by its name. Needs `spec.nodeName`. */
export const byNode: IndexBy<Pod> = ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []);
