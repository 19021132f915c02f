import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, isNotFound } from '#client/errors.ts';
import { apiextensionsV1, apiregistrationV1, coreV1, schedulingV1 } from '#client/generated/resources.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { type StartedController, startController } from '../testing/start-controller.ts';
import { garbageCollector } from './garbage-collector-controller.ts';

const { configmaps } = coreV1;
const { priorityclasses } = schedulingV1;
const gizmos: ResourceType = { group: 'example.com', version: 'v1', plural: 'gizmos', kind: 'Gizmo', namespaced: true };
const definitions = [apiextensionsV1.customresourcedefinitions, apiregistrationV1.apiservices];
const deletionTimestamp = '2026-01-02T03:04:05Z';

describe('garbage collector', () => {
  let server: FakeServer;
  let controller: StartedController | undefined;
  beforeEach(() => {
    server = new FakeServer([configmaps, coreV1.events, priorityclasses, ...definitions], { strict: true });
  });
  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
  });

  const start = async () => {
    controller = await startController(garbageCollector, server);
  };
  const put = (name: string, metadata: object = {}, namespace = 'n') =>
    server.put(configmaps, { metadata: { name, namespace, ...metadata } });
  const owned = (owner: ApiObject, more: object = {}) => ({
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    ...more,
  });
  const by = (...ownerReferences: object[]) => ({ ownerReferences });
  const names = () =>
    server
      .all(configmaps)
      .map(({ metadata }) => metadata.name)
      .sort();
  const left = (...wanted: string[]) =>
    waitUntil(`${wanted} is left`, () => JSON.stringify(names()) === JSON.stringify(wanted));
  const what = () => server.writes.map((write) => write.what);
  /** A wait that is long enough for an event that should not happen. */
  const quiet = () => sleep(300);

  it('deletes dependents of a deleted owner, one generation after the other, with a precondition', async () => {
    const o = put('o');
    const d1 = put('d1', by(owned(o)));
    put('d2', by(owned(d1)));
    put('free');
    await start();
    server.remove(configmaps, 'o', 'n');
    await left('free');
    assert.deepEqual(what(), ['DELETE configmaps/n/d1', 'DELETE configmaps/n/d2']);
    const { preconditions, propagationPolicy } = server.writes[0]!.body as Record<string, unknown>;
    assert.equal(propagationPolicy, 'Background');
    const { uid, resourceVersion } = d1.metadata;
    assert.deepEqual(preconditions, { uid, resourceVersion });
  });

  it('reads an owner from the server once, and only if the informers do not have it', async () => {
    const o = put('o');
    for (let i = 0; i < 50; i++) put(`d${i}`, by(owned(o)));
    await start();
    await quiet();
    const asked = () => server.calls.filter((call) => call === 'GET /api/v1/namespaces/n/configmaps/o').length;
    assert.equal(asked(), 0);
    server.remove(configmaps, 'o', 'n');
    await left();
    assert.equal(asked(), 1);
    assert.equal(what().length, 50);
  });

  it('deletes dependents of an owner that does not exist, has another uid, or is in another namespace', async () => {
    const o = put('o');
    const elsewhere = put('elsewhere', {}, 'other');
    put('ghost', by(owned(o, { name: 'ghost', uid: 'absent' })));
    put('earlier', by(owned(o, { uid: 'earlier' })));
    put('across', by(owned(elsewhere)));
    put('stays', by(owned(o)));
    await start();
    await left('elsewhere', 'o', 'stays');
    assert.equal(what().filter((write) => write.startsWith('DELETE')).length, 3);
    const told = () => server.all(coreV1.events).map(({ involvedObject, message }) => [involvedObject.name, message]);
    const reference = `[v1/ConfigMap, namespace: n, name: elsewhere, uid: ${elsewhere.metadata.uid}]`;
    const message = `ownerRef ${reference} does not exist in namespace "n"`;
    await waitUntil('it says why', () => told().length > 0);
    assert.deepEqual(told(), [['across', message]]);
  });

  it('keeps a dependent with another owner, and removes its references to owners that are gone or waiting', async () => {
    const o = put('o');
    const p = put('p');
    const q = put('q', { deletionTimestamp, finalizers: ['foregroundDeletion'] });
    put('d', by(owned(o), owned(p), owned(q, { blockOwnerDeletion: true })));
    await start();
    server.remove(configmaps, 'o', 'n');
    await left('d', 'p');
    await waitUntil('only p is named', () => server.get(configmaps, 'd', 'n')!.metadata.ownerReferences?.length === 1);
    assert.deepEqual(server.get(configmaps, 'd', 'n')!.metadata.ownerReferences, [owned(p)]);
    server.remove(configmaps, 'p', 'n');
    await left();
  });

  it('asks the server before it treats an owner as gone', async () => {
    const o = put('o');
    put('d', by(owned(o)));
    server.handle((call, path) => {
      // The cached copies show only the config map d.
      if (call.method !== 'GET' || path !== '/api/v1/configmaps') return undefined;
      return { metadata: { resourceVersion: '9999' }, items: [server.get(configmaps, 'd', 'n')] };
    });
    await start();
    await waitUntil('it asked', () => server.calls.includes('GET /api/v1/namespaces/n/configmaps/o'));
    await quiet();
    assert.deepEqual(what(), []);
  });

  it('foreground deletion removes an owner after the dependents that block it, through all generations', async () => {
    const o = put('o', { deletionTimestamp, finalizers: ['foregroundDeletion', 'example.com/y'] });
    const d1 = put('d1', by(owned(o, { blockOwnerDeletion: true })));
    put('d2', { ...by(owned(d1, { blockOwnerDeletion: true })), finalizers: ['example.com/x'] });
    put('loose', by(owned(o)));
    await start();
    await waitUntil('d2 is marked', () => server.get(configmaps, 'd2', 'n')?.metadata.deletionTimestamp !== undefined);
    await left('d1', 'd2', 'o');
    assert.deepEqual(server.get(configmaps, 'd1', 'n')!.metadata.finalizers, ['foregroundDeletion']);
    assert.ok(server.get(configmaps, 'o', 'n')!.metadata.finalizers!.includes('foregroundDeletion'));
    server.remove(configmaps, 'd2', 'n');
    await left('o');
    await waitUntil(
      'o waits for others only',
      () => server.get(configmaps, 'o', 'n')!.metadata.finalizers!.length === 1,
    );
    assert.deepEqual(server.get(configmaps, 'o', 'n')!.metadata.finalizers, ['example.com/y']);
  });

  it('deletes a cycle of owners', async () => {
    const a = put('a');
    const b = put('b', by(owned(a, { blockOwnerDeletion: true })));
    put('a', { ...by(owned(b, { blockOwnerDeletion: true })), deletionTimestamp, finalizers: ['foregroundDeletion'] });
    await start();
    await left();
  });

  it('orphan deletion keeps the dependents and removes their references to the owner', async () => {
    const o = put('o');
    const p = put('p');
    put('d1', by(owned(o)));
    put('d2', by(owned(o), owned(p)));
    await start();
    put('o', { deletionTimestamp, finalizers: ['orphan'] });
    await left('d1', 'd2', 'p');
    await quiet();
    assert.equal(server.get(configmaps, 'd1', 'n')!.metadata.ownerReferences, undefined);
    assert.deepEqual(server.get(configmaps, 'd2', 'n')!.metadata.ownerReferences, [owned(p)]);
    assert.equal(what().at(-1), 'PATCH configmaps/n/o', 'the owner goes last');
  });

  it('supports cluster-wide owners, and does not accept a namespaced owner of a cluster-wide object', async () => {
    const cluster = server.put(priorityclasses, { metadata: { name: 'c' }, value: 1 } as never);
    const o = put('o');
    put('d', by(owned(cluster)));
    server.put(priorityclasses, { metadata: { name: 'wrong', ...by(owned(o)) }, value: 1 } as never);
    await start();
    server.remove(configmaps, 'o', 'n');
    await quiet();
    assert.deepEqual(names(), ['d']);
    server.remove(priorityclasses, 'c');
    await left();
    assert.ok(server.get(priorityclasses, 'wrong'));
  });

  it('keeps dependents of a kind that is not served until it is served', async () => {
    const reference = { apiVersion: 'example.com/v1', kind: 'Gizmo', name: 'g', uid: 'absent' };
    put('d', by(reference));
    await start();
    await quiet();
    assert.deepEqual(names(), ['d']);
    server.serve(gizmos);
    server.put(apiextensionsV1.customresourcedefinitions, { metadata: { name: 'gizmos.example.com' } } as never);
    await left();
  });

  it('follows resource types that are added and removed', async () => {
    await start();
    server.serve(gizmos);
    const g = server.put(gizmos, { metadata: { name: 'g', namespace: 'n' } });
    const definition = { metadata: { name: 'gizmos.example.com' } } as never;
    server.put(apiextensionsV1.customresourcedefinitions, definition);
    put('d', by(owned(g)));
    await waitUntil('gizmos are watched', () => server.calls.includes('WATCH /apis/example.com/v1/gizmos'));
    server.serveNoMore(gizmos);
    server.remove(apiextensionsV1.customresourcedefinitions, 'gizmos.example.com');
    await left();
  });

  it('does not trust a 404 from a server that does not serve the type yet', async () => {
    server.serve(gizmos);
    const reference = { apiVersion: 'example.com/v1', kind: 'Gizmo', name: 'g', uid: 'u' };
    put('d', by(reference));
    let asked = 0;
    let behind = true;
    server.handle((_call, path) => {
      if (!behind || !path.endsWith('/gizmos/g')) return undefined;
      asked++;
      throw new ApiError(404, { message: '404 page not found' });
    });
    await start();
    await waitUntil('it asked again', () => asked > 2);
    assert.deepEqual(names(), ['d']);
    behind = false;
    await left();
  });

  it('finds dependents of a type that it has not listed yet', async () => {
    server.serve(gizmos);
    const o = put('o', { deletionTimestamp, finalizers: ['orphan'] });
    server.put(gizmos, { metadata: { name: 'g', namespace: 'n', ...by(owned(o)) } });
    let broken = true;
    server.handle((_call, path) => {
      if (broken && path === '/apis/example.com/v1/gizmos') throw new ApiError(503, { message: 'down' });
      return undefined;
    });
    await start();
    await quiet();
    assert.deepEqual(names(), ['o']);
    broken = false;
    await left();
    assert.equal(server.get(gizmos, 'g', 'n')!.metadata.ownerReferences, undefined);
  });
});

describe('garbage collector, with an API server', () => {
  const running = aroundManager([garbageCollector]);

  it('supports background, foreground and orphan deletion', async () => {
    const maps = running.client.resource(configmaps).in('default');
    const make = (name: string, owner?: ApiObject) =>
      maps.create({
        metadata: {
          name,
          ...(owner && {
            ownerReferences: [
              {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                name: owner.metadata.name!,
                uid: owner.metadata.uid!,
                blockOwnerDeletion: true,
              },
            ],
          }),
        },
      });
    const gone = (name: string) =>
      waitUntil(`${name} is gone`, () =>
        maps.get(name).then(
          () => false,
          (error) => {
            if (isNotFound(error)) return true;
            throw error;
          },
        ),
      );
    const owner = await make('background');
    for (let i = 0; i < 20; i++) await make(`b${i}`, owner);
    await maps.delete('background');
    for (let i = 0; i < 20; i++) await gone(`b${i}`);

    const front = await make('foreground');
    await make('f', front);
    await maps.delete('foreground', { propagationPolicy: 'Foreground' });
    await gone('foreground');
    await gone('f');

    const leaving = await make('leaving');
    await make('left', leaving);
    // When the collector has deleted this later object, its copies also show the objects before it.
    await make('later', { metadata: { name: 'absent', uid: 'absent' } } as ApiObject);
    await gone('later');
    await maps.delete('leaving', { propagationPolicy: 'Orphan' });
    await gone('leaving');
    assert.equal((await maps.get('left')).metadata.ownerReferences, undefined);
  });
});
