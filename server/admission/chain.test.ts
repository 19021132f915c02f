import assert from 'node:assert/strict';
import { forbidden, type StatusError } from '#base/errors/status-error.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { type AdmissionRequest, admit } from '../api/admission.ts';
import { AdmissionMetrics } from './admission-metrics.ts';
import { PluginChain } from './chain.ts';
import type { AdmissionPlugin } from './plugin.ts';
import { podWith, requestOf } from './testing/try-plugin.ts';

function recorder(name: string, log: string[], more: Partial<AdmissionPlugin> = {}): AdmissionPlugin {
  return {
    name,
    handles: () => true,
    mutate: ({ reinvocation }) => void log.push(`mutate ${name}${reinvocation?.again === true ? ' again' : ''}`),
    validate: () => void log.push(`validate ${name}`),
    ...more,
  };
}

describe('the admission chain', () => {
  let log: string[];
  let set: MetricSet;
  let metrics: AdmissionMetrics;
  const run = (plugins: readonly AdmissionPlugin[], request: AdmissionRequest) =>
    admit(new PluginChain(plugins, metrics), request);

  beforeEach(() => {
    log = [];
    set = new MetricSet();
    metrics = new AdmissionMetrics(set);
  });

  it('runs the mutation of all plug-ins before their validation', async () => {
    await run([recorder('a', log), recorder('b', log)], requestOf({ object: podWith() }));
    assert.deepEqual(log, ['mutate a', 'mutate b', 'validate a', 'validate b']);
  });

  it('calls only plug-ins that handle the resource, and asks each of them once whether it does', async () => {
    let asked = 0;
    const other = recorder('other', log, { handles: ({ resource }) => ++asked > 0 && resource === 'services' });
    const chain = new PluginChain([other], metrics);
    const request = requestOf({ object: podWith() });
    await admit(chain, request);
    await admit(chain, request);
    assert.deepEqual([log, asked], [[], 1]);
  });

  it('runs all mutating plug-ins again if one of them requests it', async () => {
    const hook = recorder('hook', log, {
      mutate(request) {
        log.push(`hook${request.reinvocation!.again ? ' again' : ''}`);
        request.reinvocation!.wanted = true;
      },
    });
    await run([recorder('a', log), hook], requestOf({ object: podWith() }));
    assert.deepEqual(log, ['mutate a', 'hook', 'mutate a again', 'hook again', 'validate a', 'validate hook']);
  });

  it('names the plug-in that refused the request', async () => {
    const refuse = () => {
      throw forbidden({ group: '', resource: 'pods' }, 'a', 'no');
    };
    const plugins = [recorder('a', log), recorder('no', log, { validate: refuse })];
    const { refusedBy } = await run(plugins, requestOf({ object: podWith() })).then(
      () => assert.fail('it is let through'),
      (error: StatusError) => error,
    );
    assert.equal(refusedBy, 'no');
  });

  it('stops at the first refusal and counts it', async () => {
    const refusing = recorder('no', log, {
      mutate() {
        throw new Error('no');
      },
    });
    await assert.rejects(run([recorder('a', log), refusing, recorder('b', log)], requestOf({ object: podWith() })));
    assert.deepEqual(log, ['mutate a']);
    const counts = set
      .values()
      .filter(({ family }) => family.type === 'histogram')
      .flatMap(({ family, series }) =>
        series.map(([values, numbers]) => [
          Object.fromEntries(family.labels.map((label, i) => [label, values[i]])),
          numbers.slice(0, -1).reduce((sum, n) => sum + n, 0),
        ]),
      );
    const common = { operation: 'CREATE', type: 'admit' };
    assert.deepEqual(counts, [
      [{ ...common, name: 'a', rejected: 'false' }, 1],
      [{ ...common, name: 'no', rejected: 'true' }, 1],
      [{ ...common, rejected: 'true' }, 1],
    ]);
  });
});
