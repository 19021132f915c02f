import assert from 'node:assert/strict';
import { FakeServer } from '#client/testing/fake-server.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { runLine } from '../../testing/run-line.ts';

const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };
const secret = (data: Record<string, string>) => {
  const metadata = { name: 's', namespace: 'default' };
  return asObject({ apiVersion: 'v1', kind: 'Secret', metadata, data });
};

async function changes(...words: readonly string[]): Promise<string[]> {
  const server = new FakeServer([secrets]);
  server.put(secrets, secret({ a: 'MQ==', b: 'Mg==' }));
  const { stdout, code } = await runLine(['diff', '-f', '-', ...words], {
    client: server.client,
    input: JSON.stringify(secret({ a: 'MQ==', b: 'Mw==' })),
    env: { PATH: process.env['PATH'] },
  });
  assert.equal(code, 1);
  return stdout.split('\n').filter((line) => /^[ +-] {2,}[ab]:/.test(line));
}

describe('diff of a secret', () => {
  it('hides the values', async () => {
    assert.deepEqual(await changes(), ["   a: '***'", "-  b: '*** (before)'", "+  b: '*** (after)'"]);
  });
  it('shows the values with --show-secrets', async () => {
    assert.deepEqual(await changes('--show-secrets'), ['   a: MQ==', '-  b: Mg==', '+  b: Mw==']);
  });
});
