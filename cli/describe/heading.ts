import type { ApiObject } from '../../server/schema/api-object.ts';
import type { DescriptionWriter } from './writer.ts';

/** What every description begins with: names, labels and annotations. */
export function heading(writer: DescriptionWriter, { metadata }: ApiObject): void {
  writer.field(0, 'Name', metadata.name ?? '');
  writer.field(0, 'Namespace', metadata.namespace ?? '');
  writer.map(0, 'Labels', metadata.labels);
  writer.map(0, 'Annotations', metadata.annotations, ': ');
}
