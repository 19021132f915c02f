import assert from 'node:assert/strict';
import { FakeServer } from '#client/testing/fake-server.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { runLine } from '../../testing/run-line.ts';

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const condition = (type: string, status: string) => ({ type, status });

function withPod(): FakeServer {
  const server = new FakeServer([pods]);
  const status = { phase: 'Running', conditions: [condition('Ready', 'True'), condition('Halted', 'False')] };
  server.put(pods, asObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, status }));
  return server;
}

describe('wait for several conditions', () => {
  const met = 'pod/p condition met\n';
  const cases: readonly [words: readonly string[], stdout: string, stderr: string][] = [
    [['--for=condition=Ready'], met, ''],
    [['--for=condition=Ready', '--for=jsonpath={.status.phase}=Running'], met.repeat(2), ''],
    [['--for=condition=Ready', '--for=create'], met.repeat(2), ''],
    [['--for=condition=Ready', '--for=condition=Halted'], met, 'error: condition not met for pods/p\n'],
    [['--for=condition=Halted', '--for=condition=Ready'], '', 'error: condition not met for pods/p\n'],
    [['--for=condition=Ready', '--for=x'], '', 'error: unrecognized condition: "x"\n'],
    // The comma is part of the awaited value.
    [['--for=jsonpath={.status.phase}=Running,x'], '', 'error: condition not met for pods/p\n'],
  ];
  for (const [words, stdout, stderr] of cases)
    it(words.join(' '), async () => {
      const timeout = stderr === '' ? '--timeout=30s' : '--timeout=0';
      const outcome = await runLine(['wait', 'pod/p', timeout, ...words], { client: withPod().client });
      assert.deepEqual(outcome, { stdout, stderr, code: stderr === '' ? 0 : 1 });
    });

  it('waits for creation before the other conditions', async () => {
    const server = new FakeServer([pods]);
    const words = ['wait', 'pod/p', '--for=condition=Ready', '--for=create', '--timeout=30s'];
    const line = runLine(words, { client: server.client });
    const { client } = withPod();
    const pod = await client.resource(pods).in('default').get('p');
    server.put(pods, pod);
    assert.deepEqual(await line, { stdout: met.repeat(2), stderr: '', code: 0 });
  });
});
