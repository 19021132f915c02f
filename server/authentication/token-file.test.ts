import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tokenFileAuthenticator } from './token-file.ts';

describe('tokens of a file', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'tokens-'));
  after(() => rmSync(directory, { recursive: true }));

  /** The rows of a file, and the groups of the user with the token `t`. */
  const table: Record<string, readonly string[] | undefined> = {
    't,jane,u': [],
    't,jane,u,': [],
    't,jane,u,dev': ['dev'],
    't,jane,u,"dev,ops"': ['dev', 'ops'],
    't,jane,u," dev , ops "': ['dev', 'ops'],
    't,jane,u,dev,"ops,qa",': ['dev', 'ops', 'qa'],
    '# t,jane,u\n\nx,jane,u': undefined,
    't,jane,u,old\nt,jane,u,new': ['new'],
  };
  it('are those that the file contained at the start of the server', async () => {
    const file = path.join(directory, 'changing.csv');
    writeFileSync(file, 't,jane,u');
    const authenticate = tokenFileAuthenticator(file);
    writeFileSync(file, 'new,joe,v');
    assert.equal((await authenticate('t', []))?.user.name, 'jane');
    assert.equal(await authenticate('new', []), undefined);
  });

  for (const [rows, groups] of Object.entries(table)) {
    it(JSON.stringify(rows), async () => {
      const file = path.join(directory, 'tokens.csv');
      writeFileSync(file, rows);
      const found = await tokenFileAuthenticator(file)('t', []);
      assert.deepEqual(found, groups && { user: { name: 'jane', uid: 'u', groups, extra: {} } });
    });
  }
});
