import assert from 'node:assert/strict';
import { ApiError } from '../errors.ts';
import { coreV1 } from '../generated/resources.ts';
import { FakeServer } from '../testing/fake-server.ts';
import { waitUntil } from '../testing/wait-until.ts';
import { EventRecorder } from './recorder.ts';

describe('EventRecorder', () => {
  const pod = { metadata: { name: 'p', namespace: 'n', uid: 'u', resourceVersion: '7' } } as never;
  const node = { metadata: { name: 'a', uid: 'v' } } as never;

  function start(options: { burst?: number } = {}) {
    const server = new FakeServer([coreV1.events], { strict: true });
    const clock = { now: Date.parse('2026-01-02T03:04:05Z') };
    const errors: unknown[] = [];
    const recorder = new EventRecorder(server.client, {
      component: 'test',
      now: () => clock.now,
      onError: (error) => errors.push(error),
      ...options,
    });
    const texts = () =>
      server
        .all(coreV1.events)
        .map(({ involvedObject, type, reason, message, count }) =>
          [involvedObject.name, type, reason, count, message].join(' '),
        );
    const become = (...wanted: string[]) =>
      waitUntil(wanted.join(), () => JSON.stringify(texts()) === JSON.stringify(wanted)).catch(() =>
        assert.deepEqual(texts(), wanted),
      );
    return { server, clock, errors, recorder, become, texts };
  }

  it('writes the object, the time and the reporter of an event', async () => {
    const { server, recorder, become } = start();
    recorder.warn(coreV1.pods, pod, 'Broken', 'it is broken');
    recorder.normal(coreV1.nodes, node, 'Ready', 'it is ready');
    await become('p Warning Broken 1 it is broken', 'a Normal Ready 1 it is ready');
    const [ofPod, ofNode] = server.all(coreV1.events);
    assert.deepEqual(ofPod!.involvedObject, {
      kind: 'Pod',
      namespace: 'n',
      name: 'p',
      uid: 'u',
      apiVersion: 'v1',
      resourceVersion: '7',
    });
    assert.equal(ofPod!.metadata.namespace, 'n');
    assert.equal(ofNode!.metadata.namespace, 'default');
    assert.deepEqual(ofPod!.source, { component: 'test' });
    assert.equal(ofPod!.firstTimestamp, '2026-01-02T03:04:05Z');
  });

  it('counts repeated events, even if the stored event has expired', async () => {
    const { server, clock, recorder, become } = start();
    recorder.warn(coreV1.pods, pod, 'Broken', 'it is broken');
    await become('p Warning Broken 1 it is broken');
    clock.now += 60_000;
    recorder.warn(coreV1.pods, pod, 'Broken', 'it is broken');
    await become('p Warning Broken 2 it is broken');
    assert.equal(server.all(coreV1.events)[0]!.lastTimestamp, '2026-01-02T03:05:05Z');
    assert.equal(server.all(coreV1.events)[0]!.firstTimestamp, '2026-01-02T03:04:05Z');
    server.remove(coreV1.events, server.all(coreV1.events)[0]!.metadata.name!, 'n');
    recorder.warn(coreV1.pods, pod, 'Broken', 'it is broken');
    await become('p Warning Broken 3 it is broken');
  });

  it('combines messages that differ only in their text', async () => {
    const { recorder, texts } = start();
    for (let i = 1; i <= 15; i++) recorder.warn(coreV1.pods, pod, 'Broken', `part ${i}`);
    const last = 'p Warning Broken 5 (combined from similar events): part 15';
    await waitUntil('all are written', () => texts().at(-1) === last);
    assert.equal(texts().length, 11);
  });

  it('limits the events of one object', async () => {
    const { clock, recorder, become } = start({ burst: 2 });
    for (let i = 0; i < 10; i++) recorder.warn(coreV1.pods, pod, 'Broken', 'it is broken');
    recorder.normal(coreV1.nodes, node, 'Ready', 'it is ready');
    await become('p Warning Broken 2 it is broken', 'a Normal Ready 1 it is ready');
    clock.now += 300_000;
    recorder.warn(coreV1.pods, pod, 'Broken', 'it is broken');
    await become('p Warning Broken 3 it is broken', 'a Normal Ready 1 it is ready');
  });

  it('continues after the server refuses an event', async () => {
    const { server, recorder, errors, become } = start();
    let refuse = true;
    server.handle((call) => {
      if (refuse && call.method === 'POST') throw new ApiError(403, { message: 'the namespace is going' });
      return undefined;
    });
    recorder.warn(coreV1.pods, pod, 'Broken', 'it is broken');
    await waitUntil('it was refused', () => errors.length === 1);
    refuse = false;
    recorder.warn(coreV1.pods, pod, 'Broken', 'it is broken');
    await become('p Warning Broken 1 it is broken');
  });
});
