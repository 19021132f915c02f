import assert from 'node:assert/strict';
import { own, table, tableOf } from './own-properties.ts';

const INHERITED = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];

describe('own properties', () => {
  it('a table finds what is in it, and nothing else', () => {
    const rows = table({ get: 1 });
    assert.equal(rows['get'], 1);
    for (const name of INHERITED) assert.equal(rows[name], undefined);
  });

  it('a table takes names of the language for ordinary ones', () => {
    const rows = tableOf(INHERITED.map((name) => [name, name] as const));
    assert.deepEqual(
      Object.entries(rows),
      INHERITED.map((name) => [name, name]),
    );
    assert.equal(own(table(rows), '__proto__'), '__proto__');
  });

  it('an object of a client has only what the client gave it', () => {
    const given = JSON.parse('{"a":"1","__proto__":"2"}') as Record<string, string>;
    assert.deepEqual(
      ['a', '__proto__', 'constructor'].map((name) => own(given, name)),
      ['1', '2', undefined],
    );
    assert.equal(own(undefined, 'a'), undefined);
  });
});
