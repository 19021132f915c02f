import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchLimits } from '../../config/audit-options.ts';
import { AuditEntry } from './audit-event.ts';
import type { AuditSink } from './backend.ts';
import { BatchBackend } from './batch-backend.ts';
import { BlockingBackend } from './blocking-backend.ts';

const entry = (id: number | string) =>
  new AuditEntry({
    level: 'Metadata',
    auditID: String(id),
    stage: 'ResponseComplete',
    requestURI: '/',
    verb: 'get',
    user: {},
    requestReceivedTimestamp: null,
    stageTimestamp: null,
  });

/** A sink that accepts events when the test allows it. */
class TestSink implements AuditSink {
  readonly batches: string[][] = [];
  fails = false;
  held: (() => void)[] | undefined;
  stopped = 0;

  async send(entries: readonly AuditEntry[]): Promise<void> {
    this.batches.push(entries.map(({ event }) => event.auditID));
    if (this.held !== undefined) await new Promise<void>((resolve) => this.held!.push(resolve));
    if (this.fails) throw new Error('no');
  }

  async stop(): Promise<void> {
    this.stopped++;
    for (const go of this.held ?? []) go();
    this.held = undefined;
  }
}

describe('BatchBackend', () => {
  let sink: TestSink;
  let lost: [plugin: string, events: number][];
  beforeEach(() => {
    sink = new TestSink();
    lost = [];
  });
  const backend = (limits: Partial<BatchLimits> = {}) =>
    new BatchBackend(
      'test',
      sink,
      { bufferSize: 100, maxSize: 3, maxWaitMs: 20, throttle: undefined, concurrency: 2, ...limits },
      (plugin, events) => lost.push([plugin, events]),
    );

  it('sends full batches at once, and other batches after the maximum wait', async () => {
    const waiting = backend({ maxWaitMs: 60_000 });
    for (let i = 0; i < 7; i++) assert.equal(waiting.process(entry(i)), true);
    await sleep(5);
    assert.deepEqual(sink.batches, [
      ['0', '1', '2'],
      ['3', '4', '5'],
    ]);
    const batching = backend();
    batching.process(entry(7));
    // If this never happens, mocha's time limit ends the test.
    while (sink.batches.length < 3) await sleep(5);
    assert.deepEqual(sink.batches.at(-1), ['7']);
    await batching.stop();
    await waiting.stop();
    assert.deepEqual(sink.batches.at(-1), ['6']);
    assert.deepEqual(lost, []);
  });

  it('does not block if its buffer is full, but drops and counts events', async () => {
    sink.held = [];
    const batching = backend({ bufferSize: 5, maxSize: 1, concurrency: 1 });
    for (let i = 0; i < 20; i++) {
      assert.equal(batching.process(entry(i)), true);
      await sleep(0);
    }
    // One is being sent, and five wait.
    assert.equal(lost.length, 14);
    await batching.stop();
    assert.deepEqual(sink.batches.flat(), ['0', '1', '2', '3', '4', '5']);
  });

  it('limits the total size of waiting events', () => {
    sink.held = [];
    const batching = backend({ maxSize: 100, maxWaitMs: 10_000 });
    const large = new AuditEntry({ ...entry(0).event, requestObject: `"${'x'.repeat(10 << 20)}"` });
    for (let i = 0; i < 20; i++) batching.process(large);
    assert.equal(lost.length, 8);
  });

  it('drops and counts events that the sink refuses, and continues', async () => {
    sink.fails = true;
    const batching = backend({ maxSize: 2 });
    for (let i = 0; i < 4; i++) batching.process(entry(i));
    await sleep(5);
    sink.fails = false;
    for (let i = 4; i < 6; i++) batching.process(entry(i));
    await batching.stop();
    assert.deepEqual(lost, [
      ['test', 2],
      ['test', 2],
    ]);
    assert.deepEqual(sink.batches.at(-1), ['4', '5']);
  });

  it('limits the rate of batches', async () => {
    const slow = backend({ maxSize: 1, throttle: { qps: 0.001, burst: 2 } });
    for (let i = 0; i < 6; i++) slow.process(entry(i));
    await sleep(50);
    assert.equal(sink.batches.length, 2);
    await slow.stop();
    assert.equal(sink.batches.length, 6, 'the last ones are not held up');
    const batching = backend({ maxSize: 1, throttle: { qps: 50, burst: 2 } });
    for (let i = 6; i < 12; i++) batching.process(entry(i));
    while (sink.batches.length < 12) await sleep(5);
    await batching.stop();
  });

  it('sends waiting events when it is stopped', async () => {
    const batching = backend({ maxSize: 4, maxWaitMs: 60_000 });
    for (let i = 0; i < 10; i++) batching.process(entry(i));
    await batching.stop();
    assert.deepEqual(sink.batches.flat().length, 10);
    assert.equal(sink.stopped, 1);
  });
});

describe('BlockingBackend', () => {
  const outcomes: [strict: boolean, fails: boolean, goesOn: boolean, lost: number][] = [
    [false, false, true, 0],
    [false, true, true, 1],
    [true, false, true, 0],
    [true, true, false, 1],
  ];
  for (const [strict, fails, goesOn, lost] of outcomes)
    it(`${goesOn ? 'allows' : 'stops'} a request if the sink ${fails ? 'fails' : 'works'}${strict ? ', in strict mode' : ''}`, async () => {
      const sink = new TestSink();
      sink.fails = fails;
      let count = 0;
      const blocking = new BlockingBackend('test', sink, strict, () => count++);
      assert.equal(await blocking.process(entry(1)), goesOn);
      assert.equal(count, lost);
      await blocking.stop();
    });

  it('waits for the sink', async () => {
    const sink = new TestSink();
    sink.held = [];
    const blocking = new BlockingBackend('test', sink, true, () => {});
    let done = false;
    const processed = blocking.process(entry(1)).then(() => {
      done = true;
    });
    await sleep(5);
    assert.equal(done, false);
    await blocking.stop();
    await processed;
    assert.equal(done, true);
  });
});
