import assert from 'node:assert/strict';
import type { GuardedWrite } from '../api/write-guard.ts';
import { checkParamAccess } from './param-access.ts';

const policies = new Map([['p', { spec: { paramKind: { apiVersion: 'v1', kind: 'Secret' } } }]]);
const cache = {
  get: (name: string) => {
    const found = policies.get(name);
    return found && { body: Buffer.from(JSON.stringify(found)) };
  },
};
const resources = {
  stored: () => ({ cache }),
  ofKind: (_version: string, kind: string) => (kind === 'Secret' ? [{ type: { plural: 'secrets' } }] : []),
};
const context = { user: { name: 'jane', uid: '', groups: [], extra: {} }, info: {}, query: new Map(), resources };

/** The permissions that a write needs, `verb group/version/resource namespace/name`; '' for none. */
async function needed(plural: string, spec: object, old?: object): Promise<string> {
  let asked = '';
  const served = { group: 'g', type: { kind: 'K' }, stored: { plural } };
  const write = { served, context, object: { metadata: { name: 'x' }, spec }, old: old && { spec: old } };
  const refused = checkParamAccess(
    ({ verb, group, version, resource, namespace, name }) => {
      asked = `${verb} ${group}/${version}/${resource} ${namespace}/${name}`;
      return { verdict: 'no-opinion', reason: '' };
    },
    write as unknown as GuardedWrite,
  );
  if (
    await refused.then(
      () => true,
      () => false,
    )
  )
    assert.equal(asked, '');
  else await assert.rejects(refused, { message: /is invalid: spec\.param(Kind|Ref): Forbidden: user jane/ });
  return asked;
}

describe('the permission to read parameters', () => {
  const paramKind = { apiVersion: 'v1', kind: 'Secret' };
  const [POLICY, BINDING] = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'];
  const cases: [about: string, plural: string, spec: object, old: object | undefined, asked: string][] = [
    ['a policy without parameters', POLICY!, {}, undefined, ''],
    ['a policy with a parameter kind', POLICY!, { paramKind }, undefined, 'get /v1/secrets */*'],
    [
      'a policy with an unknown parameter kind',
      POLICY!,
      { paramKind: { apiVersion: 'a.b/v2', kind: 'C' } },
      undefined,
      'get a.b/v2/* */*',
    ],
    ['an update that keeps the parameter kind', POLICY!, { paramKind }, { paramKind }, ''],
    [
      'a binding with a parameter object',
      BINDING!,
      { policyName: 'p', paramRef: { name: 'a', namespace: 'n' } },
      undefined,
      'get /v1/secrets n/a',
    ],
    [
      'a binding with a parameter selector',
      BINDING!,
      { policyName: 'p', paramRef: { selector: {} } },
      undefined,
      'list /v1/secrets /',
    ],
    [
      'a mutating policy with a parameter kind',
      'mutatingadmissionpolicies',
      { paramKind },
      undefined,
      'get /v1/secrets */*',
    ],
    [
      'a mutating binding with a parameter object',
      'mutatingadmissionpolicybindings',
      { policyName: 'p', paramRef: { name: 'a', namespace: 'n' } },
      undefined,
      'get /v1/secrets n/a',
    ],
    [
      'a binding of a policy that does not exist',
      BINDING!,
      { policyName: 'q', paramRef: { name: 'a' } },
      undefined,
      'get */*/* /a',
    ],
  ];
  for (const [about, plural, spec, old, asked] of cases)
    it(`is checked for ${about}`, async () => {
      assert.equal(await needed(plural, spec, old), asked);
    });
});
