import assert from 'node:assert/strict';
import fc from 'fast-check';
import { extraHeaders, headerText } from '../authentication/authenticator.ts';
import { REMOTE_EXTRA_PREFIX, remoteUserHeaders } from './remote-user.ts';

describe('remoteUserHeaders', () => {
  it('contain name, UID, groups and extra fields', () => {
    const user = { name: 'zoë', uid: 'u1', groups: ['a', 'b'], extra: { 'example.com/x': ['1', '2'], none: [] } };
    assert.deepEqual(remoteUserHeaders(user), [
      ...['x-remote-user', Buffer.from('zoë').toString('latin1')],
      ...['x-remote-uid', 'u1'],
      ...['x-remote-group', 'a', 'x-remote-group', 'b'],
      ...['x-remote-extra-example.com%2Fx', '1', 'x-remote-extra-example.com%2Fx', '2'],
    ]);
  });

  it('replace control characters in names', () => {
    const user = { name: 'a\r\nX-Remote-Group: b', uid: '', groups: ['c\0'], extra: {} };
    assert.deepEqual(remoteUserHeaders(user), [
      ...['x-remote-user', 'a  X-Remote-Group: b'],
      ...['x-remote-group', 'c '],
    ]);
  });

  it('decode to the same names and extra fields', () => {
    const words = fc.string({ minLength: 1, unit: 'grapheme-ascii' }).filter((text) => !/^\s|\s$/.test(text));
    const keys = fc.string({ minLength: 1, unit: fc.constantFrom(...'abcdef/%.:ü漢_ ') });
    fc.assert(
      fc.property(words, fc.dictionary(keys, fc.array(words, { minLength: 1 })), (name, extra) => {
        const sent = remoteUserHeaders({ name, uid: '', groups: [], extra });
        const headers: Record<string, string[]> = {};
        for (let i = 0; i < sent.length; i += 2) (headers[sent[i]!] ??= []).push(sent[i + 1]!);
        assert.equal(headerText(headers['x-remote-user']![0]!), name);
        const read = extraHeaders(headers, [REMOTE_EXTRA_PREFIX]);
        assert.deepEqual(new Map(Object.entries(read)), new Map(Object.entries(extra)));
      }),
    );
  });
});
