import type { Scale } from '#schema/generated/autoscaling.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { TableForm } from '../api/resource-definition.ts';

/** A scale as a table row. */
export const scaleTable: TableForm = {
  columns: [
    { name: 'Name', type: 'string', format: '', priority: 0 },
    { name: 'Desired', type: 'integer', format: '', priority: 0 },
    { name: 'Available', type: 'integer', format: '', priority: 0 },
    { name: 'Age', type: 'string', format: '', priority: 0 },
  ],
  cells(object, now) {
    const { metadata, spec, status } = object as Scale;
    return [metadata.name ?? '', spec?.replicas ?? 0, status?.replicas ?? 0, age(metadata.creationTimestamp, now)];
  },
};
