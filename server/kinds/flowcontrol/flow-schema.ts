import { append } from '#base/collections/append.ts';
import { type FieldError, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import { flowSchemaVersions } from '#schema/conversion/flowcontrol/flow-schema.ts';
import type { FlowSchema, FlowSchemaSpec } from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import { flowControlKind, SPEC } from './flow-control-kind.ts';
import { validateFlowRules } from './flow-schema-rules.ts';
import { EXEMPT, MANDATORY_FLOW_SCHEMAS } from './mandatory.ts';

const MAX_PRECEDENCE = bounds['flowcontrol.apiserver.v1.FlowSchemaSpec'].matchingPrecedence.maximum;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];

function validatePrecedence(precedence: number, name: string): FieldError[] {
  const path = SPEC.child('matchingPrecedence');
  const errors: FieldError[] = [];
  if (precedence <= 0) errors.push(invalidValue(path, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE) {
    errors.push(invalidValue(path, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  }
  if (precedence === 1 && name !== EXEMPT) {
    errors.push(invalidValue(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  return errors;
}

function validateSpec(spec: FlowSchemaSpec, name: string): FieldError[] {
  const errors = validatePrecedence(spec.matchingPrecedence, name);
  const { distinguisherMethod: method } = spec;
  if (method !== undefined && !DISTINGUISHERS.includes(method.type)) {
    errors.push(notSupported(SPEC.child('distinguisherMethod', 'type'), method, DISTINGUISHERS));
  }
  const path = SPEC.child('priorityLevelConfiguration', 'name');
  const level = spec.priorityLevelConfiguration.name;
  if (level === '') errors.push(required(path, 'must reference a priority level'));
  else append(errors, validateText(level, dns1123Subdomain, path));
  return [
    ...errors,
    ...(spec.rules ?? []).flatMap((rules, i) => validateFlowRules(rules, SPEC.child('rules').index(i))),
  ];
}

const EMPTY_SPEC: FlowSchemaSpec = { priorityLevelConfiguration: { name: '' }, matchingPrecedence: 0 };

/** The kind of flow schemas. Each assigns requests to a priority level and, within it, to flows. */
export const flowSchema = flowControlKind<FlowSchemaSpec, FlowSchema>({
  plural: 'flowschemas',
  versions: flowSchemaVersions,
  emptySpec: EMPTY_SPEC,
  validateSpec,
  mandatory: MANDATORY_FLOW_SCHEMAS,
  cells: ({ metadata, spec, status }, { now }) => [
    metadata.name ?? '',
    spec?.priorityLevelConfiguration.name ?? '',
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? '<none>',
    age(metadata.creationTimestamp, now),
    (status?.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
});
