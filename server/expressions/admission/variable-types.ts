import {
  AUTHORIZER,
  BOOL,
  type CelField,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  RESOURCE_CHECK,
  STRING,
  TIMESTAMP,
} from '../cel-type.ts';
import type { Variable } from '../scope.ts';

/** The variables of an admission expression in addition to `object`, `oldObject`, `request` and `namespaceObject`. */
export interface VariableChoice {
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** Whether the expression changes an object. It may then make parts of objects, and steps of patches. */
  readonly mutates?: boolean;
  /** The type of `object` and `oldObject`; undefined means any. */
  readonly object?: CelType;
  /** The type of `params`; undefined means any. */
  readonly parameters?: CelType | undefined;
  /** The type of `variables`: the variables of a policy that precede the expression. */
  readonly variables?: ReadonlyMap<string, CelField>;
}

function objectOf(fields: Readonly<Record<string, CelType>>): CelType {
  const entries = Object.entries(fields).map(([name, type]): [string, CelField] => [name, { name, type, size: 0 }]);
  return { kind: 'object', fields: new Map(entries), least: 2 };
}

const TEXTS = listOf(STRING);
const LABELS = mapOf(STRING, STRING);
const KIND = objectOf({ group: STRING, version: STRING, kind: STRING });
const RESOURCE = objectOf({ group: STRING, version: STRING, resource: STRING });

/** The fields of `request`. */
const REQUEST = objectOf({
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: objectOf({ username: STRING, uid: STRING, groups: TEXTS, extra: mapOf(STRING, TEXTS) }),
  dryRun: BOOL,
  options: DYN,
});

/** The fields of the namespace of an object. */
const NAMESPACE = objectOf({
  metadata: objectOf({
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: LABELS,
    annotations: LABELS,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: TEXTS,
  }),
  spec: objectOf({ finalizers: TEXTS }),
  status: objectOf({
    conditions: listOf(
      objectOf({ status: STRING, type: STRING, lastTransitionTime: TIMESTAMP, message: STRING, reason: STRING }),
    ),
    phase: STRING,
  }),
});

const input = (type: CelType): Variable => ({ type, place: 'nowhere', slot: 'input' });

const COMMON: readonly [name: string, Variable][] = [
  ['request', input(REQUEST)],
  ['namespaceObject', input(NAMESPACE)],
];

/** The variable for questions to the authorizer about the resource of the request. */
export const REQUEST_RESOURCE = 'authorizer.requestResource';

/** The variables of an expression of admission. All are inputs of the evaluation. */
export function admissionVariables(choice: VariableChoice): ReadonlyMap<string, Variable> {
  const { params, authorizer, variables, object = DYN, parameters = DYN } = choice;
  const all = new Map([['object', input(object)], ['oldObject', input(object)], ...COMMON]);
  if (params === true) all.set('params', input(parameters));
  if (authorizer === true) {
    all.set('authorizer', input(AUTHORIZER));
    all.set(REQUEST_RESOURCE, input(RESOURCE_CHECK));
  }
  if (variables !== undefined) all.set('variables', input({ kind: 'object', fields: variables, least: 2 }));
  return all;
}
