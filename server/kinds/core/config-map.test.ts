import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { configMap } from './config-map.ts';

const kind = new KindTester(configMap, 'core.v1', 'ConfigMap');
const detail = 'Forbidden: field is immutable when `immutable` is set';

describe('a config map', () => {
  it('has keys that are file names, each in one of its maps', () => {
    assert.deepEqual(kind.errors({ data: { 'a.b-c_D': '' }, binaryData: { x: 'YQ==' } }), []);
    assert.deepEqual(kind.errors({ data: { '..': '' }, binaryData: { '..': 'YQ==' } }), [
      'data[..]: Invalid value: "..": must not be \'..\'',
      'data[..]: Invalid value: "..": duplicate of key present in binaryData',
      'binaryData[..]: Invalid value: "..": must not be \'..\'',
    ]);
  });

  it('holds up to 1 MiB in all values together', () => {
    const binaryData = { b: Buffer.alloc(524_288).toString('base64') };
    assert.deepEqual(kind.errors({ data: { a: 'x'.repeat(524_288) }, binaryData }), []);
    const errors = kind.errors({ data: { a: 'x'.repeat(524_289) }, binaryData });
    assert.deepEqual(errors, ['[]: Too long: must have at most 1048576 bytes']);
  });

  it('stays as it is once it is immutable, but for metadata', () => {
    const old = { data: { a: '1' }, immutable: true };
    assert.deepEqual(kind.updateErrors(old, { ...old, metadata: { name: 'x', labels: { a: 'b' } } }), []);
    assert.deepEqual(kind.updateErrors(old, { data: { a: '2' }, binaryData: { b: 'YQ==' } }), [
      `immutable: ${detail}`,
      `data: ${detail}`,
      `binaryData: ${detail}`,
    ]);
    assert.deepEqual(kind.updateErrors({ data: { a: '1' } }, { data: { a: '2' }, immutable: true }), []);
  });

  it('shows how many keys it has', () => {
    assert.deepEqual(kind.cells({ data: { a: '', b: '' }, binaryData: { c: '' } }), ['x', 3, '<unknown>']);
  });
});
