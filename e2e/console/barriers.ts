import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The barriers that the accessibility checker finds on a page, in light and in dark colours. */
export async function barriers(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(axe);
    const violations = (await page.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | ')))",
    )) as string[];
    found.push(...violations.map((text) => `${colorScheme}: ${text}`));
  }
  return found;
}
