import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { KnownDifferences } from './known-differences.ts';
import { readReports } from './reports.ts';

// Brings known-differences.txt in line with the reports of the last replay (e2e/recordings.ts): it removes scenarios
// that now pass, and adds those that differ, with the first difference (or the given text) as their reason. Other
// reasons do not change, nor do scenarios that were not replayed, or whole areas. node e2e/update-known-differences.ts
// [REPORTS [REASON]]

const [reports = '.run/recordings', reason] = process.argv.slice(2);
const file = path.join(import.meta.dirname, 'known-differences.txt');
const known = KnownDifferences.parse(readFileSync(file, 'utf8'));
const results = readReports(reports).filter(({ area }) => known.areaReason(area) === undefined);
const run = new Map(
  results.map(({ scenario, passed, difference }) => [scenario, passed ? undefined : (reason ?? difference)]),
);
writeFileSync(file, known.after(run).toString());
console.log(`${results.length} scenarios replayed, ${results.filter(({ passed }) => !passed).length} of them listed.`);
