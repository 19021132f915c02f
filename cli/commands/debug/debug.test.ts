import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FakeServer } from '#client/testing/fake-server.ts';
import type { Container, Pod } from '#schema/generated/core.v1.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { runLine } from '../../testing/run-line.ts';

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const probe = { httpGet: { port: 80 } };
const pod = asObject({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', labels: { a: 'b' } },
  spec: {
    nodeName: 'n',
    initContainers: [{ name: 'first', image: 'i' }],
    containers: [{ name: 'one', image: 'i', command: ['a'], args: ['b'], livenessProbe: probe }],
  },
});

async function copied(...words: readonly string[]): Promise<{ copy: Pod; one: Container; stderr: string }> {
  const server = new FakeServer([pods]);
  server.put(pods, structuredClone(pod));
  const { stderr, code } = await runLine(['debug', 'p', '--copy-to=q', ...words], { client: server.client });
  assert.equal(code, 0, stderr);
  const copy = server.writes.at(-1)!.body as Pod;
  return { copy, one: copy.spec!.containers![0]!, stderr };
}

describe('debug with a copy of a pod', () => {
  const changes: readonly [words: string[], what: (got: Awaited<ReturnType<typeof copied>>) => unknown, is: unknown][] =
    [
      [['--image=x', '-c', 'd'], ({ copy }) => [copy.metadata.labels, copy.spec!.nodeName], [undefined, undefined]],
      [['--image=x', '--same-node'], ({ copy }) => copy.spec!.nodeName, 'n'],
      [['--image=x', '-c', 'd', '--profile=general'], ({ one }) => one.livenessProbe, undefined],
      [['--image=x', '-c', 'd', '--profile=general', '--keep-liveness'], ({ one }) => one.livenessProbe, probe],
      [['--image=x', '--profile=general', '--keep-labels'], ({ copy }) => copy.metadata.labels, { a: 'b' }],
      [['--image=x', '--profile=general'], ({ copy }) => copy.spec!.shareProcessNamespace, true],
      [['--image=x', '--profile=legacy'], ({ copy }) => copy.spec!.shareProcessNamespace, undefined],
      [['--set-image=*=y,one=z'], ({ one }) => one.image, 'z'],
      [['-c', 'one', '--', 'sh', '-x'], ({ one }) => [one.command, one.args], [['sh', '-x'], undefined]],
      [['-c', 'one', '--arguments-only', '--', 'sh'], ({ one }) => [one.command, one.args], [['a'], ['sh']]],
      [['-c', 'one', '--image=x', '--env=A=b=c,D=e'], ({ one }) => one.env?.map(({ value }) => value), ['b=c', 'e']],
      [['-c', 'one', '--image=x', '--env=A=b,c'], ({ one }) => one.env, [{ name: 'A', value: 'b,c' }]],
      [['--image=x', '-c', 'd'], ({ stderr }) => stderr.startsWith('--profile=legacy is deprecated'), true],
      [['--image=x', '-c', 'd', '--profile=general'], ({ stderr }) => stderr, ''],
    ];
  for (const [words, what, is] of changes)
    it(words.join(' '), async () => assert.deepEqual(what(await copied(...words)), is));
});

describe('debug --custom', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'orchctl-debug-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  for (const text of ['env: [{name: B, value: c}]\nstdin: true\n', '{"env":[{"name":"B","value":"c"}],"stdin":true}'])
    it(`merges the file into the container: ${text}`, async () => {
      const file = path.join(folder, 'custom');
      writeFileSync(file, text);
      const { copy } = await copied('--image=x', '-c', 'd', '--env=A=b', '--custom', file);
      const { name, env, stdin } = copy.spec!.containers!.at(-1)!;
      const byName = Object.fromEntries(env!.map((one) => [one.name, one.value]));
      assert.deepEqual({ name, byName, stdin }, { name: 'd', byName: { A: 'b', B: 'c' }, stdin: true });
    });

  const mistakes: readonly [text: string | undefined, said: RegExp][] = [
    [
      undefined,
      /^error: must pass a container spec json file for custom profile: open \S+: no such file or directory\n$/,
    ],
    ['- a\n', /does not contain a valid container spec/],
    [
      'image: x\n',
      /^error: name, command, image, lifecycle and volume devices are not modifiable via custom profile\n$/,
    ],
  ];
  for (const [text, said] of mistakes)
    it(`refuses the file: ${JSON.stringify(text)}`, async () => {
      const file = path.join(folder, 'custom');
      if (text !== undefined) writeFileSync(file, text);
      const line = ['debug', 'p', '--copy-to=q', '--image=x', '--custom', file];
      const { stderr, code } = await runLine(line, { client: new FakeServer([pods]).client });
      assert.match(stderr, said);
      assert.equal(code, 1);
    });

  it('refuses a folder', async () => {
    const { stderr } = await runLine(['debug', 'p', '--image=x', '--custom', folder], {
      client: new FakeServer([pods]).client,
    });
    assert.match(stderr, /profile: read \S+: is a directory\n$/);
  });
});
