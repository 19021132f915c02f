import type { IngressClass } from '#schema/generated/networking.v1.ts';
import type { Describer } from '../describer.ts';
import { marks } from '../heading.ts';

/** Describes a class of ingresses. */
export const describeIngressClass: Describer = (writer, object) => {
  const { metadata, spec } = object as IngressClass;
  writer.field(0, 'Name', metadata.name ?? '');
  marks(writer, object);
  writer.field(0, 'Controller', spec?.controller ?? '');
  const parameters = spec?.parameters;
  if (!parameters) return;
  writer.line(0, 'Parameters:');
  if (parameters.apiGroup != null) writer.field(1, 'APIGroup', parameters.apiGroup);
  writer.field(1, 'Kind', parameters.kind);
  writer.field(1, 'Name', parameters.name);
};
