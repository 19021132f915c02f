import assert from 'node:assert/strict';
import { naming, surroundings, type Trial, trying } from '../testing/try-plugin.ts';
import { eventRateLimit } from './event-rate-limit.ts';

const configuration = (...limits: object[]) => ({
  apiVersion: naming.apiVersion('eventratelimit.admission', 'v1alpha1'),
  kind: 'Configuration',
  limits,
});
const event = (name = 'o', component = 'c') => ({
  metadata: { name: 'e' },
  involvedObject: { kind: 'Pod', namespace: 'ns', name },
  source: { component },
});

/** The type of the limit, a request, a request with the same limit, a request with another limit, and the key. */
const cases: readonly [string, Trial, Trial, Trial | undefined, string][] = [
  ['Server', { object: event() }, { namespace: 'b', object: event('x') }, undefined, ''],
  ['Namespace', { object: event() }, { object: event('x') }, { namespace: 'b', object: event() }, 'ns'],
  ['User', { object: event() }, { object: event('x') }, { user: { name: 'another' }, object: event() }, 'alice'],
  ['SourceAndObject', { object: event() }, { namespace: 'b', object: event() }, { object: event('x') }, 'cPodnso'],
];

describe('EventRateLimit', () => {
  for (const [type, first, same, other, key] of cases) {
    it(`counts events by ${type}`, async () => {
      const limited = trying(eventRateLimit, { configuration: configuration({ type, qps: 1, burst: 2 }) });
      const attempt = (trial: Trial) => limited({ resource: 'events', ...trial });
      assert.equal((await attempt(first)).refused, '');
      assert.equal((await attempt({ ...first, dryRun: true })).refused, '');
      assert.equal((await attempt({ ...same, operation: 'UPDATE' })).refused, '');
      assert.equal((await attempt(first)).refused, `Too many requests: limit reached on type ${type} for key ${key}`);
      if (other !== undefined) assert.equal((await attempt(other)).refused, '');
    });
  }

  it('names all limits that are reached, and does not limit events of the other group', async () => {
    const limits = [
      { type: 'Server', qps: 1, burst: 1 },
      { type: 'Namespace', qps: 1, burst: 1 },
    ];
    const attempt = trying(eventRateLimit, { configuration: configuration(...limits) });
    await attempt({ resource: 'events', object: event() });
    const message =
      'Too many requests: [limit reached on type Server for key , limit reached on type Namespace for key ns]';
    assert.equal((await attempt({ resource: 'events', object: event() })).refused, message);
    assert.equal((await attempt({ group: 'events', resource: 'events', object: event() })).refused, '');
  });

  const refusals: readonly [string, unknown, RegExp][] = [
    ['no limits', undefined, /needs limits/],
    ['an unknown type', configuration({ type: 'Moon', qps: 1, burst: 1 }), /limits\[0\].type must be one of Server/],
    ['no burst', configuration({ type: 'User', qps: 1 }), /limits\[0\].burst is missing/],
  ];
  for (const [what, settings, message] of refusals) {
    it(`does not start with ${what}`, () => {
      assert.throws(() => eventRateLimit(surroundings({ configuration: settings })), message);
    });
  }
});
