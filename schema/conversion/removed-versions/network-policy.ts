import type { JsonObject } from '#base/json/json-value.ts';
import { objectAt, objectsIn, type RemovedForm } from './removed-form.ts';

/** The ports of all rules, in order. */
function portsOf(object: JsonObject): readonly JsonObject[] {
  const spec = objectAt(object, 'spec');
  return ['ingress', 'egress'].flatMap((field) => objectsIn(spec, field).flatMap((rule) => objectsIn(rule, 'ports')));
}

/** The form of network policies of `extensions/v1beta1`. A port without a protocol does not get one. */
export const networkPolicy: RemovedForm = {
  undo(object, given) {
    const before = portsOf(given);
    portsOf(object).forEach((port, i) => {
      if (before[i]?.protocol == null) delete port.protocol;
    });
  },
};
