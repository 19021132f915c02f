import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { Zones, zoneOf, zoneState } from './zones.ts';

const naming = createNaming('orch');
const rates = { normal: 0.1, disrupted: 0.01, largeFrom: 50, unhealthyShare: 0.55 };

describe('zones of nodes', () => {
  it('are named by the region and zone labels', () => {
    const labelled = (labels: Record<string, string>) => zoneOf({ metadata: { labels } }, naming);
    const [region, zone, old] = ['topology/region', 'topology/zone', 'failure-domain.beta/zone'].map((key) =>
      naming.key(key),
    );
    assert.equal(labelled({}), '');
    assert.equal(labelled({ [region!]: 'r', [zone!]: 'z' }), 'r:\0:z');
    assert.equal(labelled({ [old!]: 'z' }), ':\0:z');
  });

  it('have a state that depends on the share of nodes that are not ready', () => {
    const rows: [ready: number, notReady: number, state: string][] = [
      [0, 0, 'Normal'],
      [1, 1, 'Normal'],
      [0, 1, 'FullDisruption'],
      [1, 2, 'Normal'],
      [2, 3, 'PartialDisruption'],
      [10, 3, 'Normal'],
    ];
    for (const [ready, notReady, state] of rows) assert.equal(zoneState(ready, notReady, 0.55), state);
  });

  function start() {
    let now = 0;
    const zones = new Zones(rates, () => now);
    /** The nodes whose pods may be evicted at these seconds. */
    const turns = (...seconds: number[]) =>
      seconds.map((second) => {
        now = second * 1000;
        return zones.next('z');
      });
    const count = (ready: number, notReady: number) => zones.count(new Map([['z', { ready, notReady }]]));
    return { zones, turns, count };
  }

  it('evict nodes one after the other at the eviction rate', () => {
    const { zones, turns, count } = start();
    count(5, 2);
    assert.equal(zones.waitOf('z'), undefined);
    for (const node of ['a', 'b', 'c']) zones.add('z', node);
    assert.deepEqual(zones.waiting, ['z']);
    assert.deepEqual(turns(0, 0, 9, 11), ['a', undefined, undefined, 'b']);
    zones.remove('c');
    assert.deepEqual(turns(100), [undefined]);
    assert.deepEqual(zones.waiting, []);
  });

  it('stop evictions in a small disrupted zone and slow them down in a large one', () => {
    const { zones, turns, count } = start();
    for (const node of ['a', 'b', 'c']) zones.add('z', node);
    count(2, 3);
    assert.deepEqual(turns(0, 1000), [undefined, undefined]);
    assert.equal(zones.waitOf('z'), undefined);
    count(20, 40);
    assert.deepEqual(turns(1000, 1050, 1101), ['a', undefined, 'b']);
    count(60, 0);
    assert.deepEqual(turns(1102, 1113), [undefined, 'c']);
  });

  it('stop evictions while all nodes of all zones are not ready', () => {
    const { zones, turns } = start();
    const count = (z: [number, number], y: [number, number]) =>
      zones.count(
        new Map([
          ['z', { ready: z[0], notReady: z[1] }],
          ['y', { ready: y[0], notReady: y[1] }],
        ]),
      );
    zones.add('z', 'a');
    assert.equal(count([0, 3], [1, 0]), undefined);
    assert.deepEqual(turns(0), ['a']);
    zones.add('z', 'b');
    assert.equal(count([0, 3], [0, 1]), 'entered');
    assert.equal(count([0, 3], [0, 1]), undefined);
    assert.deepEqual(turns(100), [undefined]);
    assert.equal(count([0, 3], [1, 0]), 'left');
    assert.deepEqual(turns(200), ['b']);
    assert.equal(zones.count(new Map()), undefined);
  });
});
