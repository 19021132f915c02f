import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/**
 * Lines that a rule refuses and lines that it takes. A rule that Biome cannot read refuses nothing and says so nowhere.
 */
const RULES: Readonly<Record<string, { readonly refused: readonly string[]; readonly taken: readonly string[] }>> = {
  'no-unbounded-timers.grit': {
    refused: [
      'setTimeout(run, ms);',
      'setTimeout(() => { run(); }, options.ms).unref();',
      'setTimeout(run, Math.min(ms, LIMIT_MS), 1);',
      'setInterval(run, ms);',
      'await sleep(ms);',
      'await sleep(ms, undefined, { signal });',
      'await sleep(Math.max(ms, 1));',
      'const late = AbortSignal.timeout(ms);',
      "import { setTimeout } from 'node:timers/promises';",
      "import { setTimeout as later } from 'node:timers/promises';",
    ],
    taken: [
      'setTimeout(run, LIMIT_MS);',
      'setTimeout(run, 2 * LIMIT_MS, 1);',
      'setTimeout(() => { run(); }, timerMs(options.ms)).unref();',
      'setInterval(run, 1_000);',
      'await sleep(LIMIT_MS, undefined, { signal });',
      'await sleep(timerMs(ms), undefined, { signal });',
      'await sleep(ms, signal);',
      'const late = AbortSignal.timeout(timerMs(ms));',
      'socket.setTimeout(ms);',
      "import { setTimeout as sleep } from 'node:timers/promises';",
    ],
  },
  'no-plain-tables.grit': {
    refused: ['const rows: Record<string, number> = { a: 1 };', 'const rows: Readonly<Record<string, number>> = {};'],
    taken: ['const rows: Record<string, number> = table({ a: 1 });', 'const rows: Row = { a: 1 };'],
  },
};

describe('the lint rules of this project', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'lint-'));
  after(() => rmSync(folder, { recursive: true }));

  for (const [rule, { refused, taken }] of Object.entries(RULES)) {
    it(rule, () => {
      writeFileSync(
        path.join(folder, 'biome.json'),
        JSON.stringify({
          root: true,
          plugins: [path.join(root, 'lint', rule)],
          linter: { rules: { recommended: false } },
        }),
      );
      writeFileSync(path.join(folder, 'lines.ts'), [...refused, ...taken].join('\n'));
      const flags = ['--reporter=json', '--max-diagnostics=none'];
      const { stdout } = spawnSync(path.join(root, 'node_modules/.bin/biome'), ['lint', ...flags, 'lines.ts'], {
        cwd: folder,
        encoding: 'utf8',
      });
      const { diagnostics } = JSON.parse(stdout) as {
        diagnostics: { category: string; severity: string; location: { start: { line: number } } }[];
      };
      const lines = diagnostics.map(({ severity, location }) => `${severity} ${location.start.line}`);
      assert.deepEqual([...new Set(lines)].sort(), refused.map((_, i) => `error ${i + 1}`).sort());
    });
  }
});
