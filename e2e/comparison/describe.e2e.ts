import { readdirSync } from 'node:fs';
import path from 'node:path';
import { loadObjects } from '#cli/testing/load-objects.ts';
import { findYardstick } from './compare.ts';
import { compareLine } from './compare-line.ts';
import { type ComparisonServer, startComparisonServer } from './comparison-server.ts';
import { describedLines } from './described.ts';

const folder = path.join(import.meta.dirname, 'described');

describe('orchctl describe compared with the upstream client', function () {
  this.timeout(60_000);
  // Both programs print ages, and a second may pass between the two calls.
  this.retries(2);
  const yardstick = findYardstick();
  let server: ComparisonServer;
  before(async function () {
    if (yardstick === undefined) return this.skip();
    server = await startComparisonServer();
    await loadObjects(
      server.kubeconfig,
      readdirSync(folder)
        .sort()
        .map((name) => path.join(folder, name)),
    );
  });
  after(() => server?.stop());

  for (const [name, lines] of Object.entries(describedLines))
    describe(name, () => {
      for (const comparison of lines) compareLine(comparison, () => ({ yardstick: yardstick!, server }));
    });
});
