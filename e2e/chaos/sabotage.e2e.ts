import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { changedBuild, type SourceChange } from '../changed-build.ts';
import { partOfRows } from '../part-of-rows.ts';
import type { Law } from './checker/history.ts';
import type { Nemesis } from './nemesis.ts';
import { run } from './run.ts';
import { sabotages } from './sabotage.ts';

interface Row {
  readonly name: string;
  readonly sabotage: SourceChange;
  readonly harm: (nemesis: Nemesis, stop: AbortSignal) => Promise<void>;
  /** The law that the report must name. */
  readonly breaks: Law;
}

/** Disconnects one replica after the other from etcd for a moment. */
async function deafen(nemesis: Nemesis, stop: AbortSignal): Promise<void> {
  for (let turn = 0; !stop.aborted; turn++) {
    await sleep(500);
    await nemesis.inflict(nemesis.deafen(turn % 3), 700);
  }
}

const rows: readonly Row[] = [
  {
    name: 'a cache that answers "most recent" without asking etcd',
    sabotage: sabotages.staleReads,
    harm: deafen,
    breaks: 'recent',
  },
  {
    name: 'a watch that skips an event on resume',
    sabotage: sabotages.skippedEvent,
    harm: async () => {},
    breaks: 'watch',
  },
  {
    name: 'a create that does not compare the definition that its object was checked against',
    sabotage: sabotages.olderSchema,
    harm: deafen,
    breaks: 'schema',
  },
];

/** A fault becomes visible only if clients do a certain thing at a certain moment. Not every run shows it. */
const RUNS = 4;

describe('the chaos checker detects a broken build', function () {
  this.timeout(600_000);
  for (const { name, sabotage, harm, breaks } of rows.filter(partOfRows())) {
    it(name, async () => {
      const broken = await changedBuild(sabotage);
      try {
        const laws = new Set<Law>();
        for (let seed = 1; seed <= RUNS && !laws.has(breaks); seed++) {
          const { violations } = await run({ seed, seconds: 15, dist: broken.dist, harm });
          for (const { law } of violations) laws.add(law);
        }
        assert.ok(laws.has(breaks), `reported: ${[...laws].join(', ') || 'nothing'}`);
      } finally {
        broken.remove();
      }
    });
  }
});
