import assert from 'node:assert/strict';
import { DeliveryLog } from './delivery-log.ts';

describe('the log of spans that could not be delivered', () => {
  /** Spans sent at a second, and why they were not taken. */
  type Sent = readonly [second: number, spans: number, failure?: string];

  const cases: readonly [what: string, sent: readonly Sent[], lines: readonly string[]][] = [
    [
      'nothing while all are taken',
      [
        [0, 5],
        [1, 5],
      ],
      [],
    ],
    ['the first that are lost', [[0, 5, 'refused']], ['warn 5 refused']],
    [
      'once a minute, with those since',
      [
        [0, 5, 'refused'],
        [1, 2, 'refused'],
        [59, 3, 'refused'],
        [60, 4, 'late'],
      ],
      ['warn 5 refused', 'warn 14 late'],
    ],
    [
      'when they are taken again',
      [
        [0, 5, 'refused'],
        [1, 2, 'refused'],
        [2, 1],
        [3, 1],
      ],
      ['warn 5 refused', 'info 7'],
    ],
    [
      'not more often where it comes and goes',
      [
        [0, 1, 'refused'],
        [1, 1],
        [2, 2, 'refused'],
        [3, 1],
        [61, 3, 'late'],
      ],
      ['warn 1 refused', 'info 1', 'warn 5 late'],
    ],
  ];
  for (const [what, sent, lines] of cases) {
    it(what, () => {
      const said: string[] = [];
      let second = 0;
      const line = (level: string) => (fields: object) => void said.push([level, ...Object.values(fields)].join(' '));
      const log = new DeliveryLog({ warn: line('warn'), info: line('info') } as never, () => second * 1000);
      for (const [at, spans, failure] of sent) {
        second = at;
        log.sent(spans, failure);
      }
      assert.deepEqual(said, lines);
    });
  }
});
