import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { namingProfiles } from '#base/naming/create-naming.ts';
import { isNotFound } from '#client/errors.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { barriers } from './barriers.ts';
import { ConsoleStage } from './console-stage.ts';

const maps = (names: readonly string[], data: Record<string, string> = {}) =>
  names.map((name) => ({ metadata: { name, namespace: 'default' }, data }));

const cells = (page: Page) => page.locator('[role=row]:not(.head) [role=gridcell]:first-child').allTextContents();

for (const naming of namingProfiles)
  describe(`the console with the naming ${naming}`, function () {
    this.timeout(120_000);
    const stage = new ConsoleStage();
    before(() => stage.start(naming));
    after(() => stage.end());
    // If a test fails and runs a second time, it must not find the objects of its first run.
    beforeEach(() => stage.client.resource(coreV1.configmaps).in('default').deleteCollection());

    it('lists kinds and objects, follows changes, filters and sorts', async () => {
      const configMaps = stage.client.resource(coreV1.configmaps).in('default');
      for (const map of maps(['web-10', 'web-2', 'db'])) await configMaps.create(map);
      const complaints: string[] = [];
      const page = await stage.page(await stage.console(), complaints);
      await page.getByRole('button', { name: 'configmaps', exact: true }).click();
      await page.getByLabel('Namespace').selectOption('default');
      await page.getByRole('gridcell', { name: 'web-10' }).waitFor();
      assert.deepEqual(
        (await cells(page)).filter((name) => /web|db/.test(name)),
        ['db', 'web-2', 'web-10'],
      );

      await page.getByLabel('Filter').fill('web');
      await page.getByText('2 of', { exact: false }).waitFor();
      assert.deepEqual(await cells(page), ['web-2', 'web-10']);
      await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
      await page.locator('[role=row][aria-rowindex="2"]', { hasText: 'web-10' }).waitFor();

      await configMaps.create(maps(['web-30'])[0]!);
      await page.getByRole('gridcell', { name: 'web-30' }).waitFor();
      await configMaps.patch('web-2', 'merge', { data: { a: '1' } });
      await page.locator('.cell.changed', { hasText: '1' }).waitFor();
      await configMaps.delete('web-10');
      await page.getByRole('gridcell', { name: 'web-10' }).waitFor({ state: 'detached' });
      assert.deepEqual(await barriers(page), []);
      assert.deepEqual(complaints, []);
    });

    it('shows an object with its managers, events and history, and is read-only without --write', async () => {
      const configMaps = stage.client.resource(coreV1.configmaps).in('default');
      await configMaps.create(maps(['history'], { a: 'one' })[0]!, { fieldManager: 'first' });
      await configMaps.patch('history', 'merge', { data: { a: 'two' } }, { fieldManager: 'second' });
      const complaints: string[] = [];
      const page = await stage.page(await stage.console(), complaints);
      await page.getByRole('navigation').waitFor();
      const { kind } = await page.evaluate(async () => {
        const { kinds } = (await (await fetch('/api/catalog')).json()) as { kinds: { id: string; plural: string }[] };
        return { kind: kinds.find(({ plural }) => plural === 'configmaps')!.id };
      });
      const address = new URL(page.url());
      await page.goto(`${address.origin}/#/table?kind=${kind}&namespace=default&object=default/history`);
      await page.getByLabel('YAML of the object').getByText('two').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
      assert.deepEqual(await barriers(page), []);

      await page.getByRole('tab', { name: 'Managers' }).click();
      await page.getByText('.data.a', { exact: true }).waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByText('keeps no event').waitFor();
      await page.getByRole('tab', { name: 'History' }).click();
      await page.locator('.removed', { hasText: 'a: one' }).waitFor();
      await page.locator('.added', { hasText: 'a: two' }).waitFor();
      await page.getByText('second').first().waitFor({ state: 'attached' });
      assert.deepEqual(await barriers(page), []);

      const refused = await page.evaluate(
        async (request) => {
          const headers = { 'content-type': 'application/json', 'x-orch-console': '1' };
          const answer = await fetch('/api/delete', { method: 'POST', headers, body: JSON.stringify(request) });
          return answer.status;
        },
        { kind, namespace: 'default', name: 'history' },
      );
      assert.equal(refused, 403);
      await configMaps.get('history');
    });

    it('edits an object with --write: shows the result of a dry run, then saves', async () => {
      const configMaps = stage.client.resource(coreV1.configmaps).in('default');
      await configMaps.create(maps(['edited'], { a: 'one' })[0]!);
      const page = await stage.page(await stage.console('--write'));
      await page.getByRole('button', { name: 'configmaps', exact: true }).click();
      await page.getByRole('gridcell', { name: 'edited' }).click();
      const editor = page.getByLabel('YAML of the object');
      const replace = async (from: string, to: string): Promise<void> => {
        await editor.getByText(from).first().click();
        await page.keyboard.press('Home');
        await page.keyboard.press('Shift+End');
        await page.keyboard.type(to);
      };
      await replace('a: one', '  a: [1]');
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByRole('alert').getByText('400').waitFor();
      await replace('a: [1]', '  a: two');
      assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true);
      await page.getByRole('button', { name: 'Try' }).click();
      await page.locator('.added', { hasText: 'a: two' }).waitFor();
      assert.equal((await configMaps.get('edited')).data?.['a'], 'one');
      await page.getByRole('button', { name: 'Save' }).click();
      await editor.getByText('a: two').waitFor();
      await page.locator('.diff').waitFor({ state: 'detached' });
      assert.equal((await configMaps.get('edited')).data?.['a'], 'two');

      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.getByRole('button', { name: 'No', exact: true }).click();
      assert.equal((await configMaps.get('edited')).data?.['a'], 'two');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('button', { name: 'Yes, delete it' }).click();
      await page.getByRole('gridcell', { name: 'edited' }).waitFor({ state: 'detached' });
      await assert.rejects(configMaps.get('edited'), isNotFound);
    });

    it('serves a user of one namespace: names what the user cannot list, and shows the rest', async () => {
      const { client } = stage;
      const shop = `shop-${Date.now().toString(36)}`;
      const config = await stage.connectionOf('visitor', shop, ['configmaps', 'pods']);
      await client
        .resource(coreV1.configmaps)
        .in(shop)
        .create({ metadata: { name: 'ours', namespace: shop } });
      const page = await stage.page(await stage.consoleOf(config));
      await page.getByRole('textbox', { name: 'Namespace' }).waitFor();
      assert.equal(await page.getByRole('textbox', { name: 'Namespace' }).inputValue(), shop);
      await page.getByRole('button', { name: 'configmaps', exact: true }).click();
      await page.getByRole('gridcell', { name: 'ours' }).waitFor();
      await page.locator('button.not-allowed', { hasText: 'secrets' }).first().click();
      await page.getByRole('alert').getByText('403').waitFor();
      await page.getByRole('alert').getByText('visitor').first().waitFor();
      assert.deepEqual(await barriers(page), []);
    });

    it('can be used with the keyboard alone, and lists the keys', async () => {
      const page = await stage.page(await stage.console());
      await page.getByRole('grid').waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.type('gns');
      await page.getByRole('gridcell', { name: 'default', exact: true }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('default');
      await page.getByText('1 of', { exact: false }).waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByLabel('YAML of the object').waitFor();
      await page.keyboard.press('Escape');
      await page.getByLabel('YAML of the object').waitFor({ state: 'detached' });

      const { client } = stage;
      const deployments = client.resource(appsV1.deployments).in('default');
      const labels = { app: 'by-keys' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'main:1' }] } };
      const spec = { replicas: 0, selector: { matchLabels: labels }, template };
      await deployments.apply({ metadata: { name: 'by-keys' }, spec }, { fieldManager: 'test' });
      await page.keyboard.type('grs');
      await page.getByRole('gridcell', { name: /^by-keys-/ }).waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('o');
      await page.getByRole('heading', { name: 'by-keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.type('gcp');
      await page.getByRole('heading', { name: 'Replicas' }).waitFor();
    });
  });
