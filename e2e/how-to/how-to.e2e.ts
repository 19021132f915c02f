import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { copyOfProject } from '#scripts/copy-of-project.ts';
import { findEtcd } from '#scripts/find-etcd.ts';
import { partOfRows } from '../part-of-rows.ts';
import { follow } from './follow-steps.ts';
import { readSteps, type Step } from './read-page.ts';

// The test follows each page of docs/how-to literally in a copy of the project. Some pages continue with the kind of
// another page.

const pages = path.resolve(import.meta.dirname, '../../docs/how-to');
const KIND = 'add-a-kind.md';
const NEEDS_KIND = new Set([
  'add-a-field.md',
  'add-a-column.md',
  'add-a-plug-in.md',
  'add-a-subresource.md',
  'add-what-a-release-brings.md',
]);
/** The checks of the format and the types of the results of the pages. */
const CHECKS: readonly Step[] = [
  { do: 'run', command: 'npm run --silent generate' },
  { do: 'run', command: 'npm run --silent typecheck' },
];

/** Whether a step is needed. Tests of the other page run separately. */
const isNeeded = (step: Step): boolean => step.do !== 'run' || !step.command.startsWith('mocha');

describe('the pages of docs/how-to', function () {
  this.timeout(600_000);
  before(() => {
    process.env['ETCD'] ??= findEtcd();
  });

  for (const page of readdirSync(pages).filter(partOfRows()))
    it(page, () => {
      const folder = copyOfProject();
      try {
        const changes = (name: string): readonly Step[] => readSteps(path.join(pages, name));
        const before = NEEDS_KIND.has(page) ? changes(KIND).filter(isNeeded) : [];
        const steps = changes(page);
        assert.ok(steps.some((step) => step.do === 'run'));
        for (const step of [...before, ...steps, ...CHECKS]) follow(step, folder);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
