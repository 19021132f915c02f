import assert from 'node:assert/strict';
import { fieldsOfMessage } from './fields-of-message.ts';

const cases: readonly [message: string, fields: readonly string[]][] = [
  [
    'strict decoding error: unknown field "spec.none", unknown field "spec.containers[0].nope"',
    ['spec.none: the kind has no such field', 'spec.containers[0].nope: the kind has no such field'],
  ],
  ['strict decoding error: duplicate field "spec.a"', ['spec.a: it stands there twice']],
  [
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ['spec.replicas: it is a string, and must be of the type int32'],
  ],
  ['the body is too large', []],
];

describe('fieldsOfMessage', () => {
  for (const [message, fields] of cases)
    it(message, () =>
      assert.deepEqual(
        fieldsOfMessage(message).map(({ field, message: says }) => `${field}: ${says}`),
        fields,
      ),
    );
});
