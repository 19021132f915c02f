import assert from 'node:assert/strict';
import { FakeServer } from '#client/testing/fake-server.ts';
import { runLine } from '../../testing/run-line.ts';

const types = [
  { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true, verbs: ['get'] },
  { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true, verbs: ['get', 'list'] },
];

describe('api-resources -o json and yaml', () => {
  const server = new FakeServer(types);
  const run = async (...words: string[]) =>
    (await runLine(['api-resources', ...words], { client: server.client })).stdout;
  const list = {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: '',
    resources: [
      { name: 'pods', singularName: '', namespaced: true, version: 'v1', kind: 'Pod', verbs: ['get'] },
      {
        ...{ name: 'deployments', singularName: '', namespaced: true, group: 'apps', version: 'v1' },
        ...{ kind: 'Deployment', verbs: ['get', 'list'] },
      },
    ],
  };

  it('prints JSON fields in the order of the type', async () => {
    assert.equal(await run('-o', 'json'), `${JSON.stringify(list, undefined, 4)}\n`);
    assert.equal(await run('-o', 'json', '--show-managed-fields'), await run('-o', 'json'));
  });

  it('prints only the requested resource types as YAML', async () => {
    const text = await run('-o', 'yaml', '--verbs=list');
    assert.match(text, /^apiVersion: v1\ngroupVersion: ""\nkind: APIResourceList\nresources:\n- group: apps\n/);
    assert.match(text, /\n {2}verbs:\n {2}- get\n {2}- list\n/);
    assert.doesNotMatch(text, /pods/);
    assert.match(await run('-o', 'kyaml'), /^---\n\{\n {2}apiVersion: "v1",\n/);
  });
});
