import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { namingProfiles } from '#base/naming/create-naming.ts';
import { isNotFound } from '#client/errors.ts';
import { apiextensionsV1, appsV1, coreV1 } from '#client/generated/resources.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { barriers } from './barriers.ts';
import { ConsoleStage } from './console-stage.ts';

const deployment = (name: string, replicas: number) => ({
  metadata: { name, namespace: 'default', labels: { app: name } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } },
  },
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

for (const naming of namingProfiles)
  describe(`objects in the console with the naming ${naming}`, function () {
    this.timeout(180_000);
    const stage = new ConsoleStage();
    before(() => stage.start(naming));
    after(() => stage.end());
    const tried = new Set<string>();
    beforeEach(async function () {
      const { title = '' } = this.currentTest ?? {};
      if (tried.has(title)) await removeLeftovers();
      tried.add(title);
    });

    /** Removes objects of an earlier attempt. */
    async function removeLeftovers(): Promise<void> {
      const deployments = stage.client.resource(appsV1.deployments).in('default');
      const maps = stage.client.resource(coreV1.configmaps).in('default');
      const removals = [
        ...['web', 'keys'].map((name) => deployments.delete(name)),
        ...['both', 'draft'].map((name) => maps.delete(name)),
      ];
      for (const removal of await Promise.allSettled(removals))
        if (removal.status === 'rejected' && !isNotFound(removal.reason)) throw removal.reason;
    }

    it('shows the owners and dependents of an object, who has access to it, and its time line', async () => {
      const { client } = stage;
      const deployments = client.resource(appsV1.deployments).in('default');
      await deployments.create(deployment('web', 2));
      // A change of the object would move the cursor of the page.
      await waitUntil('two pods', async () => (await deployments.get('web')).status?.unavailableReplicas === 2);
      const complaints: string[] = [];
      const page = await stage.page(await stage.console(), complaints);
      await stage.open(page, 'deployments.v1.apps', 'default/web');
      // The page shows the description of the field at the cursor.
      await page.getByLabel('YAML of the object').locator('.cm-line', { hasText: 'replicas: 2' }).first().click();
      await page.getByRole('heading', { name: 'replicas integer' }).waitFor();
      assert.deepEqual(await barriers(page), []);

      await page.getByRole('tab', { name: 'Related' }).click();
      const tree = page.getByRole('list', { name: 'Owners and what they own' });
      await tree.getByText('Deployment web').waitFor();
      assert.equal(await tree.getByRole('button', { name: /^Pod web-/ }).count(), 2);
      assert.deepEqual(await barriers(page), []);
      await page.getByRole('tab', { name: 'Access' }).click();
      await page.getByRole('heading', { name: 'Who can delete it' }).waitFor();
      await page.getByRole('cell', { name: 'Group system:masters' }).first().waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByRole('img', { name: 'Events and conditions over time' }).waitFor();
      await page.getByRole('cell', { name: 'Available', exact: true }).waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByRole('slider', { name: 'From version' }).waitFor();
      await page.getByRole('slider', { name: 'From version' }).press('Home');
      await page.locator('.diff .added').first().waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.getByRole('tab', { name: 'Related' }).click();
      await tree.getByRole('button', { name: /^ReplicaSet web-/ }).click();
      await page.getByRole('heading', { name: /^ReplicaSet/ }).waitFor();
      assert.deepEqual(complaints, []);
    });

    it('scales, restarts, labels and deletes with the keyboard, and shows the changes first', async () => {
      const { client } = stage;
      const deployments = client.resource(appsV1.deployments).in('default');
      await deployments.create(deployment('keys', 1));
      await waitUntil('its pod', async () => (await deployments.get('keys')).status?.replicas === 1);
      const page = await stage.page(await stage.console('--write'));
      await stage.open(page, 'deployments.v1.apps', 'default/keys');
      const dialog = page.getByRole('dialog');
      const use = async (name: string): Promise<void> => {
        await page.getByRole('button', { name, exact: true }).first().focus();
        await page.keyboard.press('Enter');
      };
      await use('Scale');
      await dialog.getByLabel('Replicas').focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await use('Try');
      await dialog.locator('.added', { hasText: 'replicas: 3' }).waitFor();
      assert.deepEqual(await barriers(page), []);
      assert.equal((await deployments.get('keys')).spec?.replicas, 1);
      await use('Scale it');
      await dialog.waitFor({ state: 'hidden' });
      assert.equal((await deployments.get('keys')).spec?.replicas, 3);

      await use('Restart');
      await use('Try');
      await dialog.locator('.added', { hasText: 'restartedAt' }).waitFor();
      await use('Restart it');
      await dialog.waitFor({ state: 'hidden' });
      const { annotations = {} } = (await deployments.get('keys')).spec?.template?.metadata ?? {};
      assert.ok(annotations[client.naming.key('ctl/restartedAt')]);

      await use('Label');
      await dialog.getByLabel('One label in each line').fill('app=keys\ntier=front');
      await use('Try');
      await dialog.locator('.added', { hasText: 'tier: front' }).waitFor();
      await use('Label it');
      await dialog.waitFor({ state: 'hidden' });
      assert.equal((await deployments.get('keys')).metadata.labels?.['tier'], 'front');

      await use('Delete');
      await dialog
        .getByText(/^ReplicaSet keys-/)
        .first()
        .waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await use('Delete');
      await use('Yes, delete it');
      await waitUntil('that it is gone', () => deployments.get('keys').then(() => false, isNotFound));
    });

    it('merges an edit with other changes, and asks about conflicting fields', async () => {
      const { client } = stage;
      const maps = client.resource(coreV1.configmaps).in('default');
      await maps.create({ metadata: { name: 'both', namespace: 'default' }, data: { a: 'one', b: 'one', c: 'one' } });
      await maps.apply({ metadata: { name: 'both' }, data: { c: 'one' } }, { fieldManager: 'gitops', force: true });
      const page = await stage.page(await stage.console('--write'));
      await stage.open(page, 'configmaps.v1.', 'default/both');
      await page.getByLabel('YAML of the object').getByText('a: one').waitFor();
      await maps.patch('both', 'merge', { data: { a: 'theirs', b: 'theirs' } }, { fieldManager: 'other' });
      await page.getByText('The object has changed since it was read.').waitFor();
      await stage.replaceLine(page, 'a: one', 'a: mine');
      await stage.replaceLine(page, 'c: one', 'c: mine');
      await press(page, 'Try');
      const field = (name: string) => page.getByRole('group', { name });
      await field('.data.a').getByText('It has changed since you read it').waitFor();
      await field('.data.c').getByText('It is applied by gitops').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true);
      assert.deepEqual(await barriers(page), []);
      await field('.data.a').getByLabel('Force mine').check();
      await field('.data.c').getByLabel('Share it').check();
      await press(page, 'Try');
      await page.locator('.added', { hasText: 'a: mine' }).waitFor();
      await press(page, 'Save');
      await page.getByLabel('YAML of the object').getByText('b: theirs').waitFor();
      const saved = await maps.get('both');
      assert.deepEqual(saved.data, { a: 'mine', b: 'theirs', c: 'one' });
      const appliers = saved.metadata.managedFields?.filter(({ operation }) => operation === 'Apply');
      assert.deepEqual(appliers?.map(({ manager }) => manager).sort(), ['gitops', 'orch-console']);
    });

    it('asks before an edit is lost, whatever would drop it, and goes on by keys alone', async () => {
      const maps = stage.client.resource(coreV1.configmaps).in('default');
      await maps.create({ metadata: { name: 'draft', namespace: 'default' }, data: { a: 'one' } });
      const page = await stage.page(await stage.console('--write'));
      await stage.open(page, 'configmaps.v1.', 'default/draft');
      const editor = page.getByLabel('YAML of the object');
      await editor.getByText('a: one').waitFor();
      const address = () => decodeURIComponent(page.url());
      const before = address();
      const question = page.getByRole('dialog', { name: 'Your edit is not saved' });
      const panel = page.getByRole('complementary', { name: /draft$/ });
      await stage.replaceLine(page, 'a: one', 'a: mine');
      const ways: readonly (readonly [what: string, leave: () => Promise<unknown>])[] = [
        ['Close', () => press(page, 'Close')],
        ['Read again', () => press(page, 'Read again')],
        ['a kind', () => page.getByRole('navigation').getByRole('button', { name: 'secrets' }).click()],
        ['the control plane', () => press(page, 'Control plane')],
        ['a namespace', () => page.getByLabel('Namespace').selectOption('default')],
        ['Back', () => page.evaluate('history.back()')],
        ['Escape', () => panel.getByRole('tab', { name: 'YAML' }).press('Escape')],
      ];
      for (const [what, leave] of ways) {
        await leave();
        await question.waitFor();
        if (what === 'Close') assert.deepEqual(await barriers(page), []);
        // The first button has the focus, and the Escape key has the same effect as this button.
        await page.keyboard.press(what === 'Back' ? 'Escape' : 'Enter');
        await question.waitFor({ state: 'hidden' });
        await editor.getByText('a: mine').waitFor();
        assert.equal(address(), before, what);
      }
      assert.equal(await page.getByLabel('Namespace').inputValue(), '');
      // If the user leaves the page, the browser asks.
      const asked: string[] = [];
      page.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void dialog.dismiss();
      });
      await page.reload({ timeout: 2_000 }).catch(() => {});
      assert.deepEqual(asked, ['beforeunload']);
      await editor.getByText('a: mine').waitFor();
      await press(page, 'Read again');
      await question.getByRole('button', { name: 'Drop the edit' }).press('Enter');
      await editor.getByText('a: one').waitFor();
      await press(page, 'Close');
      await panel.waitFor({ state: 'hidden' });
      assert.equal((await maps.get('draft')).data?.['a'], 'one');
    });

    it('shows custom resources like built-in ones: descriptions, checks and scale', async () => {
      const { client } = stage;
      const group = 'example.com';
      await client.resource(apiextensionsV1.customresourcedefinitions).create({
        metadata: { name: `gizmos.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'gizmos', kind: 'Gizmo', singular: 'gizmo' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: {
                      type: 'object',
                      properties: {
                        replicas: { type: 'integer', maximum: 5 },
                        mode: { type: 'string', enum: ['fast', 'slow'], description: 'How it turns.' },
                      },
                    },
                  },
                },
              },
            },
          ],
        },
      });
      const type: ResourceType = { group, version: 'v1', plural: 'gizmos', kind: 'Gizmo', namespaced: true };
      const gizmos = client.resource(type).in('default');
      const gizmo = { metadata: { name: 'one', namespace: 'default' }, spec: { replicas: 1, mode: 'fast' } };
      const created = () => gizmos.create(gizmo);
      await waitUntil('that the kind is served', () =>
        created().then(
          () => true,
          (error) => !isNotFound(error),
        ),
      );
      const page = await stage.page(await stage.console('--write'));
      await stage.open(page, `gizmos.v1.${group}`, 'default/one');
      await page.getByLabel('YAML of the object').locator('.cm-line', { hasText: 'mode: fast' }).click();
      await page.getByText('How it turns.').waitFor();
      await page.getByText('fast, slow').waitFor();
      await stage.replaceLine(page, 'mode: fast', 'mode: odd');
      await page.getByText('mode must be one of fast, slow.').first().waitFor();
      assert.deepEqual(await barriers(page), []);
      await press(page, 'Scale');
      await page.getByRole('dialog').getByLabel('Replicas').fill('9');
      await page.getByRole('dialog').getByRole('button', { name: 'Try' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
    });
  });
