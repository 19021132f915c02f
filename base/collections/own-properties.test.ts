import assert from 'node:assert/strict';
import { own, table, tableOf } from './own-properties.ts';

const INHERITED = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];

describe('table, tableOf and own', () => {
  it('a table finds only its own entries, not inherited properties', () => {
    const rows = table({ get: 1 });
    assert.equal(rows['get'], 1);
    for (const name of INHERITED) assert.equal(rows[name], undefined);
  });

  it('a table stores inherited property names (__proto__, constructor) like any other key', () => {
    const rows = tableOf(INHERITED.map((name) => [name, name] as const));
    assert.deepEqual(
      Object.entries(rows),
      INHERITED.map((name) => [name, name]),
    );
    assert.equal(own(table(rows), '__proto__'), '__proto__');
  });

  it('own() reads only properties that the client sent', () => {
    const given = JSON.parse('{"a":"1","__proto__":"2"}') as Record<string, string>;
    assert.deepEqual(
      ['a', '__proto__', 'constructor'].map((name) => own(given, name)),
      ['1', '2', undefined],
    );
    assert.equal(own(undefined, 'a'), undefined);
  });
});
