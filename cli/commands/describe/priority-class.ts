import type { PriorityClass } from '#schema/generated/scheduling.v1.ts';
import type { Describer } from './describer.ts';

/** Describes a priority class. */
export const describePriorityClass: Describer = (writer, object) => {
  const { metadata, value, globalDefault = false, preemptionPolicy = '', description = '' } = object as PriorityClass;
  writer.fields(0, {
    Name: metadata.name ?? '',
    Value: value,
    GlobalDefault: globalDefault,
    PreemptionPolicy: preemptionPolicy,
    Description: description,
  });
  writer.labels(0, 'Annotations', metadata.annotations);
};
