import { FieldPath, forbiddenField, notSupported, required } from '#base/errors/field-error.ts';
import { priorityClassVersions } from '#schema/conversion/scheduling/priority-class.ts';
import type { PriorityClass } from '#schema/generated/scheduling.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import { defineKind } from '../define-kind.ts';

/** The classes that every cluster has, for pods that must not be evicted. */
export const SYSTEM_PRIORITY_CLASSES: readonly {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}[] = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

const RESERVED_PREFIX = 'system-';
const HIGHEST_USER_VALUE = 1_000_000_000;
const POLICIES = ['PreemptLowerPriority', 'Never'];

/** Why a name with the reserved prefix is not the name of one of the system's own classes. */
function whyNotSystemClass({ metadata, value, globalDefault }: PriorityClass): string | undefined {
  const { name = '' } = metadata;
  const known = SYSTEM_PRIORITY_CLASSES.find((systemClass) => systemClass.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

/** The kind of priority classes: how important the pods are that name a class. */
export const priorityClass = defineKind('scheduling/priorityclasses', {
  versions: priorityClassVersions,
  validate(object) {
    const { metadata, value, preemptionPolicy: policy } = object;
    const errors = [];
    if ((metadata.name ?? '').startsWith(RESERVED_PREFIX)) {
      const why = whyNotSystemClass(object);
      const detail = `priority class names with '${RESERVED_PREFIX}' prefix are reserved for system use only. error: ${why}`;
      if (why !== undefined) errors.push(forbiddenField('metadata.name', detail));
    } else if (value > HIGHEST_USER_VALUE) {
      const detail = `maximum allowed value of a user defined priority is ${HIGHEST_USER_VALUE}`;
      errors.push(forbiddenField('value', detail));
    }
    if (policy === '') errors.push(required('preemptionPolicy'));
    else if (policy !== undefined && !POLICIES.includes(policy)) {
      errors.push(notSupported('preemptionPolicy', policy, POLICIES));
    }
    return errors;
  },
  validateUpdate: (object, old) => [
    ...(object.value === old.value ? [] : [forbiddenField('value', 'may not be changed in an update.')]),
    ...validateImmutable(object.preemptionPolicy, old.preemptionPolicy, new FieldPath('preemptionPolicy')),
  ],
  refusesDeletion: ({ metadata }) =>
    SYSTEM_PRIORITY_CLASSES.some(({ name }) => name === metadata.name)
      ? 'this is a system priority class and cannot be deleted'
      : undefined,
  cells: ({ metadata, value, globalDefault, preemptionPolicy }, { now }) => [
    metadata.name ?? '',
    value,
    globalDefault ?? false,
    age(metadata.creationTimestamp, now),
    preemptionPolicy ?? '',
  ],
});
