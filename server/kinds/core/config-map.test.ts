import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { configMap } from './config-map.ts';

const kind = new KindTester(configMap, 'core.v1', 'ConfigMap');
const detail = 'Forbidden: field is immutable when `immutable` is set';

describe('a ConfigMap', () => {
  it('needs valid keys that are different in data and binaryData', () => {
    assert.deepEqual(kind.errors({ data: { 'a.b-c_D': '' }, binaryData: { x: 'YQ==' } }), []);
    assert.deepEqual(kind.errors({ data: { '..': '' }, binaryData: { '..': 'YQ==' } }), [
      'data[..]: Invalid value: "..": must not be \'..\'',
      'data[..]: Invalid value: "..": duplicate of key present in binaryData',
      'binaryData[..]: Invalid value: "..": must not be \'..\'',
    ]);
  });

  it('can contain at most 1 MiB', () => {
    const binaryData = { b: Buffer.alloc(524_288).toString('base64') };
    assert.deepEqual(kind.errors({ data: { a: 'x'.repeat(524_288) }, binaryData }), []);
    const errors = kind.errors({ data: { a: 'x'.repeat(524_289) }, binaryData });
    assert.deepEqual(errors, ['[]: Too long: must have at most 1048576 bytes']);
  });

  it('can change only its metadata if it is immutable', () => {
    const old = { data: { a: '1' }, immutable: true };
    assert.deepEqual(kind.updateErrors(old, { ...old, metadata: { name: 'x', labels: { a: 'b' } } }), []);
    assert.deepEqual(kind.updateErrors(old, { data: { a: '2' }, binaryData: { b: 'YQ==' } }), [
      `immutable: ${detail}`,
      `data: ${detail}`,
      `binaryData: ${detail}`,
    ]);
    assert.deepEqual(kind.updateErrors({ data: { a: '1' } }, { data: { a: '2' }, immutable: true }), []);
  });

  it('shows the number of its keys in tables', () => {
    assert.deepEqual(kind.cells({ data: { a: '', b: '' }, binaryData: { c: '' } }), ['x', 3, '<unknown>']);
  });
});
