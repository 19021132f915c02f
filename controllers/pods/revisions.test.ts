import assert from 'node:assert/strict';
import { appsV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import type { StatefulSet } from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { byRevision, deleteRevisions, presentRevision, superfluous } from './revisions.ts';

const template = (image: string): PodTemplateSpec => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'c', image }] } as never,
});

describe('controller revisions', () => {
  let server: FakeServer;
  const present = (image: string, collisions = 0) =>
    presentRevision(
      {
        type: appsV1.statefulsets,
        owner: { metadata: { name: 'db', namespace: 'ns', uid: 'u1', annotations: { why: image } } } as StatefulSet,
        template: template(image),
        hashLabel: 'hash',
        collisions,
        naming: server.naming,
        client: server.client,
      },
      server.all(appsV1.controllerrevisions),
    );
  beforeEach(() => {
    server = new FakeServer([appsV1.controllerrevisions], { strict: true });
  });

  it('are created once for each template, and a template that is used again gets the newest number', async () => {
    const first = await present('a');
    assert.equal(first.revision.revision, 1);
    assert.equal(first.revision.metadata.name, `db-${first.revision.metadata.labels?.['hash']}`);
    assert.deepEqual(first.revision.metadata.annotations, { why: 'a' });
    assert.equal(
      JSON.stringify(first.revision.data),
      '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"db"}},' +
        '"spec":{"containers":[{"image":"a","name":"c"}]}}}}',
    );
    assert.equal((await present('a')).revision.metadata.uid, first.revision.metadata.uid);
    assert.equal((await present('b')).revision.revision, 2);
    const back = await present('a');
    assert.equal(back.revision.revision, 3);
    assert.equal(back.revision.metadata.uid, first.revision.metadata.uid);
    assert.equal(server.all(appsV1.controllerrevisions).length, 2);
  });

  it('match a stored revision whose template has no creation time', async () => {
    const { revision } = await present('a');
    const data = { spec: { template: { ...template('a'), $patch: 'replace' } } };
    server.put(appsV1.controllerrevisions, { ...revision, data } as never);
    assert.equal((await present('a')).revision.metadata.uid, revision.metadata.uid);
    assert.equal(server.all(appsV1.controllerrevisions).length, 1);
  });

  it('get another name if their name is taken', async () => {
    const { revision } = await present('a');
    const { name, namespace } = revision.metadata;
    server.remove(appsV1.controllerrevisions, name!, namespace);
    server.put(appsV1.controllerrevisions, { metadata: { name, namespace }, data: {}, revision: 9 });
    const other = await present('a');
    assert.equal(other.collisions, 1);
    assert.notEqual(other.revision.metadata.name, name);
  });

  it('are deleted beyond the limit, oldest first, except those in use', async () => {
    for (const image of ['a', 'b', 'c', 'd']) await present(image);
    const all = server.all(appsV1.controllerrevisions);
    const gone = superfluous(all, ({ revision }) => revision === 1 || revision === 4, 1);
    assert.deepEqual(
      gone.map(({ revision }) => revision),
      [2],
    );
    await deleteRevisions(server.client, gone);
    const left = byRevision(server.all(appsV1.controllerrevisions));
    assert.deepEqual(
      left.map(({ revision }) => revision),
      [1, 3, 4],
    );
  });
});
