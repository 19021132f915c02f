import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { isNotFound } from '#client/errors.ts';
import { coreV1, storageV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { barriers } from './barriers.ts';
import { ConsoleStage } from './console-stage.ts';

/** Lets a test hide a page, as another open tab does. A browser without a window hides none by itself. */
const HIDEABLE = `{
  let state = 'visible';
  Object.defineProperty(Document.prototype, 'visibilityState', { get: () => state });
  globalThis.become = (next) => { state = next; document.dispatchEvent(new Event('visibilitychange')); };
}`;

const sortedBy = (page: Page, heading: string, order: 'ascending' | 'descending') =>
  page.locator(`[role=columnheader][aria-sort=${order}]`, { hasText: heading });

describe('many pages of one console, their addresses and keys', function () {
  this.timeout(120_000);
  const stage = new ConsoleStage();
  const maps = () => stage.client.resource(coreV1.configmaps).in('default');
  const create = (name: string) => maps().create({ metadata: { name, namespace: 'default' }, data: { a: '1' } });
  let context: BrowserContext;
  let origin: string;

  before(() => stage.start('orch'));
  after(() => stage.end());
  beforeEach(async () => {
    await maps().deleteCollection();
    context = await stage.context();
    await context.addInitScript(HIDEABLE);
    const url = await stage.console();
    origin = new URL(url).origin;
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole('grid').waitFor();
    await page.close();
  });
  afterEach(() => context.close());

  const open = async (place: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${origin}/#/${place}`);
    return page;
  };
  const MAPS = 'table?kind=configmaps.v1.&namespace=default';

  it('any number of hidden pages leave the connections of the browser to the page in view', async () => {
    const pages: Page[] = [];
    for (let count = 0; count < 8; count++) {
      await pages.at(-1)?.evaluate("become('hidden')");
      pages.push(await open(MAPS));
      await pages.at(-1)!.getByRole('grid').waitFor();
    }
    await create('while-hidden');
    await pages.at(-1)!.getByRole('gridcell', { name: 'while-hidden' }).waitFor();
    assert.equal(await pages[0]!.getByRole('gridcell', { name: 'while-hidden' }).count(), 0);
    await pages[0]!.evaluate("become('visible')");
    await pages[0]!.getByRole('gridcell', { name: 'while-hidden' }).waitFor();
  });

  it('a page too many says so, and goes on when another one is closed', async () => {
    const pages: Page[] = [];
    for (let count = 0; count < 5; count++) {
      pages.push(await open(MAPS));
      await pages.at(-1)!.getByRole('grid').waitFor();
    }
    const last = await open(MAPS);
    await last.getByRole('alert').getByText('Too many pages').waitFor();
    await pages[0]!.close();
    await last.getByRole('grid').waitFor();
    await last.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('a session that is over is named as the reason why a page stands still', async () => {
    const page = await open(MAPS);
    await page.getByRole('grid').waitFor();
    await page.evaluate("become('hidden')");
    await context.clearCookies();
    await page.evaluate("become('visible')");
    await page.getByRole('alert').getByText('start the console again').waitFor();
  });

  it('a new namespace can be chosen without loading the page again', async () => {
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${origin}/#/${MAPS}`);
    await page.getByRole('grid').waitFor();
    const name = `later-${Date.now().toString(36)}`;
    await stage.client.resource(coreV1.namespaces).create({ metadata: { name } });
    await page.clock.fastForward(31_000);
    await page.getByLabel('Namespace').getByRole('option', { name }).waitFor({ state: 'attached' });
  });

  it('an address leads to a tab of an object, and to an order of the table', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const page = await open(`${MAPS}&object=default/b&tab=Managers&sort=-name`);
    await page.getByText('.data.a', { exact: true }).waitFor();
    const names = page.locator('[role=row]:not(.head) [role=gridcell]:first-child');
    await waitUntil('the order', async () => /(^|,)c,b,a$/.test((await names.allTextContents()).join()));
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.reload();
    await page.getByRole('tab', { name: 'YAML', selected: true }).waitFor();
    await sortedBy(page, 'Name', 'descending').waitFor();
  });

  it('the browser goes back by a whole step, however many letters a filter has', async () => {
    for (const name of ['one', 'two']) await create(name);
    const page = await open(MAPS);
    await page.getByRole('gridcell', { name: 'one' }).waitFor();
    await page.getByLabel('Filter').pressSequentially('two');
    await page.getByRole('gridcell', { name: 'one' }).waitFor({ state: 'detached' });
    await page.getByRole('gridcell', { name: 'two' }).click();
    await page.getByLabel('YAML of the object').waitFor();
    await page.goBack();
    await page.getByLabel('YAML of the object').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Filter').inputValue(), 'two');
    await page.goBack();
    assert.equal(page.url(), 'about:blank');
  });

  it('keys choose a column, sort by it, and open what a cell names', async () => {
    const { client } = stage;
    const disks = client.resource(storageV1.storageclasses);
    const claims = client.resource(coreV1.persistentvolumeclaims).in('default');
    await disks.delete('disk').catch((error) => assert.ok(isNotFound(error)));
    await disks.create({ metadata: { name: 'disk' }, provisioner: 'example.com/none' });
    for (const [name, storage] of [
      ['a', '2Gi'],
      ['b', '1Gi'],
    ] as const)
      await claims.apply(
        {
          metadata: { name },
          spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'disk', resources: { requests: { storage } } },
        },
        { fieldManager: 'test' },
      );
    const page = await open('table?kind=persistentvolumeclaims.v1.&namespace=default');
    await page.getByRole('gridcell', { name: 'disk' }).first().waitFor();
    await page.getByRole('grid').focus();
    const chosen = () => page.locator('.cell.chosen').textContent();
    await page.keyboard.press('ArrowRight');
    assert.equal(await chosen(), 'a');
    await page.keyboard.press('s');
    await sortedBy(page, 'Name', 'descending').waitFor();
    await page.keyboard.press('s');
    await sortedBy(page, 'Name', 'ascending').waitFor();
    while ((await chosen()) !== 'disk') await page.keyboard.press('ArrowRight');
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'StorageClass disk' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    // The letters after `g` are not keys of the table.
    await page.getByRole('grid').focus();
    await page.keyboard.type('gpods');
    await page.getByRole('region', { name: 'Pod' }).waitFor();
  });
});
