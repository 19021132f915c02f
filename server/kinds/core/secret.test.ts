import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { secret } from './secret.ts';

const kind = new KindTester(secret, 'core.v1', 'Secret');
const type = (name: string) => kind.naming.key(name);

describe('a Secret', () => {
  it('merges stringData into data, and has type Opaque by default', () => {
    const {
      data,
      type: found,
      stringData,
    } = kind.created({ data: { a: 'YQ==', b: 'YQ==' }, stringData: { b: 'b', c: '' } });
    assert.deepEqual(
      { data, found, stringData },
      { data: { a: 'YQ==', b: 'Yg==', c: '' }, found: 'Opaque', stringData: undefined },
    );
  });

  it('must contain the keys that its type requires', () => {
    const cases: [name: string, stringData: Record<string, string>, fields: string[]][] = [
      ['dockercfg', {}, ['data[.dockercfg]']],
      ['dockercfg', { '.dockercfg': 'nope' }, ['data[.dockercfg]']],
      ['dockercfg', { '.dockercfg': '[]' }, ['data[.dockercfg]']],
      ['dockerconfigjson', { '.dockerconfigjson': '{}' }, []],
      ['basic-auth', {}, ['data[username]', 'data[password]']],
      ['basic-auth', { password: '' }, []],
      ['ssh-auth', { 'ssh-privatekey': '' }, ['data[ssh-privatekey]']],
      ['tls', { 'tls.crt': '' }, ['data[tls.key]']],
      ['tls', { 'tls.crt': '', 'tls.key': '' }, []],
      ['service-account-token', {}, [`metadata.annotations[${type('service-account.name')}]`]],
      ['anything', {}, []],
    ];
    for (const [name, stringData, fields] of cases) {
      const errors = kind.errors({ type: type(name), stringData });
      assert.deepEqual(
        errors.map((line) => line.slice(0, line.indexOf(': '))),
        fields,
        name,
      );
    }
  });

  it('does not show its contents in errors', () => {
    const [error] = kind.errors({ type: type('dockercfg'), stringData: { '.dockercfg': 'hunter2' } });
    assert.ok(!error!.includes('hunter2'));
  });

  it('cannot change its type', () => {
    const errors = kind.updateErrors({ type: type('tls'), stringData: { 'tls.crt': '', 'tls.key': '' } }, {});
    assert.deepEqual(errors, ['type: Invalid value: "Opaque": field is immutable']);
  });
});
