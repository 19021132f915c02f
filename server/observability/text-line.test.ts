import assert from 'node:assert/strict';
import { textLine } from './text-line.ts';

const AT = new Date(2026, 10, 22, 21, 48, 5, 7).getTime() / 1000;
const line = (fields: object): string =>
  `${JSON.stringify({ name: 'x', hostname: 'h', pid: 7, v: 0, ts: AT, ...fields })}\n`;

describe('textLine', () => {
  const cases: readonly [fields: object, text: string][] = [
    [{ level: 'info', msg: 'serving', port: 6443 }, 'I1122 21:48:05.007000 7] "serving" port=6443\n'],
    [{ level: 'warn', msg: 'say "what"', path: '/a b' }, 'W1122 21:48:05.007000 7] "say \\"what\\"" path="/a b"\n'],
    [
      { level: 'error', msg: 'no', err: { type: 'Error', message: 'went\nwrong', stack: 'Error: …' } },
      'E1122 21:48:05.007000 7] "no" err="went\\nwrong"\n',
    ],
    [
      { level: 'fatal', msg: 'end', stages: { etcd: 1.5 } },
      'F1122 21:48:05.007000 7] "end" stages="{\\"etcd\\":1.5}"\n',
    ],
    [{ level: 'debug', msg: 'more', ok: true }, 'I1122 21:48:05.007000 7] "more" ok=true\n'],
  ];
  for (const [fields, text] of cases) it(text.trim(), () => assert.equal(textLine(line(fields)), text));

  it('does not change a line that is not JSON', () => assert.equal(textLine('plain\n'), 'plain\n'));
});
