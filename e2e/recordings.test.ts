import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Replaces the replayer. `outcomes` of a file contains the result of each scenario for the first run, the second, and
 * so on.
 */
const REPLAYER = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const file = process.argv.at(-1);
const { area, outcomes } = JSON.parse(readFileSync(file, 'utf8'));
const turn = existsSync(file + '.turns') ? Number(readFileSync(file + '.turns', 'utf8')) : 0;
writeFileSync(file + '.turns', String(turn + 1));
const filter = process.argv.includes('--filter') ? option('--filter') : '';
const results = Object.entries(outcomes)
  .filter(([id]) => (area + '/' + id).includes(filter))
  .map(([id, turns]) => ({
    id, area, wording: 0,
    problems: (turns[turn] ?? turns.at(-1)) ? [] : [{ step: 1, do: 'GET /', diffs: [{ at: 'status', want: 200, have: 500 }] }],
  }));
if (!outcomes.dies || turn > 0) writeFileSync(path.join(option('--report'), path.basename(file)), JSON.stringify({ results }));
`;

type Outcomes = Readonly<Record<string, readonly boolean[]>>;

describe('recordings.ts', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'recordings-test-'));
  let runs = 0;

  after(() => rmSync(folder, { recursive: true }));

  function replay(areas: Readonly<Record<string, Outcomes>>, own = 'orch'): { output: string; status: number | null } {
    const place = path.join(folder, String(runs++));
    mkdirSync(path.join(place, own), { recursive: true });
    writeFileSync(path.join(place, 'run.mjs'), REPLAYER);
    for (const [area, outcomes] of Object.entries(areas))
      writeFileSync(path.join(place, own, `${area}.json`), JSON.stringify({ area, outcomes }));
    const script = path.join(import.meta.dirname, 'recordings.ts');
    const args = [script, place, '--report', path.join(place, 'reports')];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { output: stdout, status };
  }

  const cases: [what: string, areas: Readonly<Record<string, Outcomes>>, last: string, status: number][] = [
    ['counts scenarios that match the recording', { one: { a: [true], b: [true] } }, '2 passed, 0 failed', 0],
    [
      'counts a scenario that differs twice as failed',
      { one: { a: [true], b: [false, false] } },
      '1 passed, 1 failed',
      1,
    ],
    [
      'retries a scenario that differs, and accepts it if it matches then',
      { one: { a: [true], ab: [false, true] }, two: { c: [true] } },
      '3 passed, 0 failed',
      0,
    ],
    ['runs a file again that ended without a result', { one: { dies: [true] } }, '1 passed, 0 failed', 0],
    [
      'retries nothing if many scenarios differ',
      { one: Object.fromEntries([...'abcdef'].map((id) => [id, [false, true]])) },
      '0 passed, 6 failed',
      1,
    ],
    [
      'fails a known difference that matches twice',
      { 'kinds-services': { 'kubernetes-service': [true, true] } },
      '0 passed, 1 failed',
      1,
    ],
    [
      'accepts a known difference that matches only once',
      { 'kinds-services': { 'kubernetes-service': [true, false] } },
      '1 passed, 0 failed',
      0,
    ],
  ];
  it('replays conversations with later releases too', () => {
    const { output, status } = replay({ one: { a: [true], b: [false, false] } }, 'modern');
    assert.match(output, /^FAIL modern\/one\/b: step 1: GET \//m);
    assert.equal(output.trimEnd().split('\n').at(-1), '1 passed, 1 failed');
    assert.equal(status, 1);
  });

  for (const [what, areas, last, wanted] of cases) {
    it(what, () => {
      const { output, status } = replay(areas);
      assert.equal(output.trimEnd().split('\n').at(-1), last, output);
      assert.equal(status, wanted);
    });
  }
});
