import assert from 'node:assert/strict';
import { DeliveryLog } from './delivery-log.ts';

describe('DeliveryLog', () => {
  /** Spans that were sent at a second, and why the collector did not accept them. */
  type Sent = readonly [second: number, spans: number, failure?: string];

  const cases: readonly [what: string, sent: readonly Sent[], lines: readonly string[]][] = [
    [
      'writes nothing while all spans are delivered',
      [
        [0, 5],
        [1, 5],
      ],
      [],
    ],
    ['writes a warning for the first lost spans', [[0, 5, 'refused']], ['warn 5 refused']],
    [
      'writes a warning once a minute, with the number of spans since the last one',
      [
        [0, 5, 'refused'],
        [1, 2, 'refused'],
        [59, 3, 'refused'],
        [60, 4, 'late'],
      ],
      ['warn 5 refused', 'warn 14 late'],
    ],
    [
      'writes a line when spans are delivered again',
      [
        [0, 5, 'refused'],
        [1, 2, 'refused'],
        [2, 1],
        [3, 1],
      ],
      ['warn 5 refused', 'info 7'],
    ],
    [
      'does not write more often if delivery alternately fails and works',
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
