import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { MemoryReader } from '../authorization/testing/memory-reader.ts';
import { bootstrapTokenAuthenticator } from './bootstrap-token.ts';

const naming = createNaming('orch');
const namespace = naming.prefixed('system');

describe('bootstrapTokenAuthenticator', () => {
  const reader = new MemoryReader();
  const authenticate = bootstrapTokenAuthenticator(reader, naming);
  const token = 'aaaaa1.0123456789abcdef';
  const keep = (
    data: Record<string, string>,
    type = naming.key('bootstrap/token'),
    name = 'bootstrap-token-aaaaa1',
  ) => {
    for (const { metadata } of reader.list('', 'secrets', namespace))
      reader.remove('', 'secrets', namespace, metadata.name!);
    const fields = {
      'token-id': 'aaaaa1',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      ...data,
    };
    reader.put('', 'secrets', {
      metadata: { namespace, name },
      type,
      data: Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    });
  };

  const good: [what: string, data: Record<string, string>, groups: string[]][] = [
    ['a token without optional fields', {}, []],
    [
      'extra groups',
      { 'auth-extra-groups': 'system:bootstrappers:b-c,system:bootstrappers:a,system:bootstrappers:a' },
      ['system:bootstrappers:a', 'system:bootstrappers:b-c'],
    ],
    ['no extra groups', { 'auth-extra-groups': '' }, []],
    ['a token that has not expired', { expiration: '2099-01-01T00:00:00+02:00' }, []],
    ['a token without expiration', { expiration: '' }, []],
  ];
  for (const [what, data, groups] of good)
    it(`accepts ${what}`, async () => {
      keep(data);
      assert.deepEqual((await authenticate(token, []))?.user, {
        name: 'system:bootstrap:aaaaa1',
        uid: '',
        groups: ['system:bootstrappers', ...groups],
        extra: {},
      });
    });

  const bad: [what: string, data: Record<string, string>, type?: string, name?: string][] = [
    ['a token with a wrong secret', { 'token-secret': 'fedcba9876543210' }],
    ['a token without a secret', { 'token-secret': '' }],
    ['a token with another ID', { 'token-id': 'aaaaa9' }],
    ['a token that is not for authentication', { 'usage-bootstrap-authentication': 'yes' }],
    ['an expired token', { expiration: '2020-01-01T00:00:00Z' }],
    ['a token with an invalid expiration', { expiration: 'someday' }],
    ['a token whose expiration is only a date', { expiration: '2099-01-01' }],
    ['a group outside of system:bootstrappers', { 'auth-extra-groups': 'system:bootstrappers:ok,system:masters' }],
    ['a group without a name', { 'auth-extra-groups': 'system:bootstrappers:' }],
    ['a space between groups', { 'auth-extra-groups': 'system:bootstrappers:a, system:bootstrappers:b' }],
    ['another type of secret', {}, 'Opaque'],
    ['another name of the secret', {}, naming.key('bootstrap/token'), 'other'],
  ];
  for (const [what, data, type, name] of bad)
    it(`refuses ${what}`, async () => {
      keep(data, type, name);
      assert.equal(await authenticate(token, []), undefined);
    });

  it('has no opinion about tokens of another form', async () => {
    keep({});
    const before = reader.confirmed;
    for (const other of [
      'aaaaa1.0123456789abcdeX',
      'AAAAA1.0123456789abcdef',
      'aaaaa1',
      'aaaaa1.0123456789abcdef ',
      '',
    ])
      assert.equal(await authenticate(other, []), undefined);
    assert.equal(reader.confirmed, before, 'and asks no store about them');
  });

  it('accepts a token that another replica created just now', async () => {
    keep({}, 'Opaque');
    reader.later.push(() => keep({}));
    assert.equal((await authenticate(token, []))?.user.name, 'system:bootstrap:aaaaa1');
  });
});
