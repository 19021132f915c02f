import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { appsV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { barriers } from './barriers.ts';
import { ConsoleStage } from './console-stage.ts';

/** Finds texts that a user cannot read without scrolling the page sideways. They are beyond its edge or cut off. */
const OUT_OF_SIGHT = `(() => {
  const width = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth > width) found.push('the page is ' + document.documentElement.scrollWidth + ' wide');
  const scrolls = (element) => element && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const name = (element) => element.tagName.toLowerCase() + '.' + element.className + ' ' + element.textContent.slice(0, 40);
  for (const element of document.querySelectorAll('body *')) {
    const { left, right, width: own, height } = element.getBoundingClientRect();
    if (own < 2 || height < 2 || !element.checkVisibility() || element.closest('svg, [aria-hidden=true]')) continue;
    const { overflowX } = getComputedStyle(element);
    if ((left < -1 || right > width + 1) && !scrolls(element.parentElement)) found.push('beyond the edge: ' + name(element));
    const isCut = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 1;
    if (isCut && !element.title) found.push('cut: ' + name(element));
  }
  return found.slice(0, 5);
})()`;

const outOfSight = async (page: Page) => (await page.evaluate(OUT_OF_SIGHT)) as string[];

/** A window of 360 pixels, and one of 1,280 that is magnified twice. */
const WINDOWS = [
  { width: 360, height: 740 },
  { width: 640, height: 400, scale: 2 },
] as const;

const NAME = 'a-deployment-whose-name-is-rather-long-for-a-narrow-window';

const LABELS = { app: 'narrow', 'example.com/a-long-key-of-a-label': 'a-long-value-that-does-not-break-by-itself' };

describe('the console in a narrow window, and magnified', function () {
  this.timeout(180_000);
  const stage = new ConsoleStage();

  before(async () => {
    await stage.start('orch', '--nodes=1');
    const deployments = stage.client.resource(appsV1.deployments).in('default');
    await deployments.create({
      metadata: { name: NAME, namespace: 'default', labels: LABELS },
      spec: {
        selector: { matchLabels: LABELS },
        template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } },
      },
    });
    await waitUntil('its pod', async () => (await deployments.get(NAME)).status?.replicas === 1);
  });

  after(() => stage.end());

  const tab = (name: string) => async (page: Page) => {
    await page.getByRole('tab', { name }).click();
    await page.getByText('loads.').waitFor({ state: 'detached' });
  };
  const dialog = (name: string) => async (page: Page) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').waitFor();
  };
  const object = `table?kind=deployments.v1.apps&object=default/${NAME}`;
  const views: readonly [what: string, place: string, show?: (page: Page) => Promise<void>][] = [
    ['a table', 'table?kind=deployments.v1.apps'],
    ['a table with filters', 'table?kind=pods.v1.&namespace=default&filter=deployment&labels=app%3Dnarrow'],
    ['the YAML of an object', object],
    ['the managers', object, tab('Managers')],
    ['the relatives', object, tab('Related')],
    ['the events', object, tab('Events')],
    ['the access', object, tab('Access')],
    ['the history', object, tab('History')],
    ['the dialog to scale', object, dialog('Scale')],
    ['the dialog to restart', object, dialog('Restart')],
    ['the dialog for labels', object, dialog('Label')],
    ['the dialog to delete', object, dialog('Delete')],
    ['the keys', object, dialog('Keys')],
    [
      'the question about an edit',
      object,
      async (page) => {
        await page.getByLabel('YAML of the object').locator('.cm-line').last().click();
        await page.keyboard.insertText('# mine');
        await dialog('Close')(page);
      },
    ],
    [
      'a refused edit',
      object,
      async (page) => {
        await stage.replaceLine(page, 'revisionHistoryLimit', 'revisionHistoryLimit: -1');
        await page.getByRole('button', { name: 'Try' }).click();
        await page.getByRole('alert').waitFor();
      },
    ],
    ['the control plane', 'control-plane'],
  ];
  for (const { width, height, ...more } of WINDOWS)
    it(`shows all of each view, without barriers, at ${width} by ${height} pixels`, async () => {
      const viewport = { width, height };
      const context = await stage.context({ viewport, deviceScaleFactor: 'scale' in more ? more.scale : 1 });
      const page = await context.newPage();
      const seen: string[] = [];
      await page.goto(await stage.console('--write'));
      await page.getByRole('navigation').waitFor();
      const origin = new URL(page.url()).origin;
      page.on('dialog', (asked) => void asked.accept());
      for (const [what, place, show] of views) {
        await page.goto('about:blank');
        await page.goto(`${origin}/#/${place}`);
        await page.getByRole('main').waitFor();
        if (place === object) await page.getByLabel('YAML of the object').waitFor();
        else await page.waitForTimeout(1_000);
        await show?.(page);
        seen.push(...(await outOfSight(page)).map((text) => `${what}: ${text}`));
        // The rules about barriers are the same for both windows.
        if (width === 360) seen.push(...(await barriers(page)).map((text) => `${what}: ${text}`));
      }
      assert.deepEqual(seen, []);
      // The test also proves that the check finds the faults for which it exists.
      for (const style of ['min-width: 1000px', 'width: 5px; overflow: hidden; white-space: nowrap']) {
        await page.evaluate(`document.querySelector('h1').style.cssText = '${style}'`);
        assert.notDeepEqual(await outOfSight(page), [], style);
      }
      await context.close();
    });
});
