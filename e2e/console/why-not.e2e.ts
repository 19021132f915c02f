import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { namingProfiles } from '#base/naming/create-naming.ts';
import { admissionregistrationV1, coreV1 } from '#client/generated/resources.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { startHookServer } from '#server/admission/webhooks/testing/hook-server.ts';
import { barriers } from './barriers.ts';
import { ConsoleStage } from './console-stage.ts';

const MARKUP = '<img src=x onerror="document.title=\'caught\'">\u001b[31m';

for (const naming of namingProfiles)
  describe(`reasons of refusals in the console with the naming ${naming}`, function () {
    this.timeout(180_000);
    const stage = new ConsoleStage();
    before(() => stage.start(naming, '--emulated-version=1.37'));
    after(() => stage.end());

    /** Edits a line of an object, requests a dry run of the change, and returns the message of the page. */
    async function refused(page: Page, kind: string, object: string, from: string, to: string) {
      await stage.open(page, kind, object);
      await stage.replaceLine(page, from, to);
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByRole('alert').waitFor();
      return page.getByRole('alert').first();
    }

    /** Closes an object whose edit was not saved. */
    async function closeEdited(page: Page): Promise<void> {
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      await page.getByRole('button', { name: 'Drop the edit' }).click();
    }

    const map = (name: string, data: Record<string, string>) => ({ metadata: { name, namespace: 'default' }, data });

    it('a missing permission: the user, the permission, and a role that grants it', async () => {
      const config = await stage.connectionOf('guest', `guests-${Date.now().toString(36)}`, ['configmaps']);
      const page = await stage.page(await stage.consoleOf(config));
      await page.getByRole('navigation').waitFor();
      await page.locator('button.not-allowed', { hasText: 'secrets' }).first().click();
      const alert = page.getByRole('alert').first();
      await alert.getByText('Right that is missing').waitFor();
      await alert.getByText(/^system:serviceaccount:guests-.*:guest$/).waitFor();
      await alert.getByText('A role and its binding that would give it').click();
      await alert.getByText('kind: RoleBinding').waitFor();
      assert.deepEqual(await barriers(page), []);
      // The role and the binding on the page are sufficient.
      const [role, binding] = (await alert.locator('.grant').textContent())!.split('---\n');
      for (const yaml of [role!, binding!]) await stage.apply(yaml);
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.getByRole('grid').waitFor();
    });

    it('a quota, with its limits', async () => {
      const { client } = stage;
      await client
        .resource(coreV1.resourcequotas)
        .in('default')
        .create({
          metadata: { name: 'small', namespace: 'default' },
          spec: { hard: { 'services.nodeports': '0' } },
        });
      await client
        .resource(coreV1.services)
        .in('default')
        .create({
          metadata: { name: 'one', namespace: 'default' },
          spec: { ports: [{ port: 80 }] },
        });
      const quotas = client.resource(coreV1.resourcequotas).in('default');
      await waitUntil('that the quota counts', async () => (await quotas.get('small')).status?.hard !== undefined);
      const page = await stage.page(await stage.console('--write'));
      const alert = await refused(page, 'services.v1.', 'default/one', 'type: ClusterIP', 'type: NodePort');
      await alert.getByRole('link', { name: 'ResourceQuota small' }).waitFor();
      assert.deepEqual(await alert.getByRole('row').nth(1).getByRole('cell').allTextContents(), ['1', '0', '0']);
      assert.deepEqual(await barriers(page), []);
    });

    it('a validation error, at its position in the YAML text', async () => {
      const services = stage.client.resource(coreV1.services).in('default');
      await services.create({ metadata: { name: 'two', namespace: 'default' }, spec: { ports: [{ port: 80 }] } });
      const page = await stage.page(await stage.console('--write'));
      await refused(page, 'services.v1.', 'default/two', 'port: 80', '- port: 99999');
      const line = page.getByRole('list', { name: 'What is wrong in the text' });
      await line.getByText('spec.ports[0].port').waitFor();
      await page.locator('.cm-lintRange-error', { hasText: 'port' }).waitFor();
      assert.deepEqual(await barriers(page), []);
      await line
        .getByRole('button', { name: /^Line \d+$/ })
        .first()
        .click();
      await page.keyboard.type(' ');
    });

    it('a policy with its binding, a webhook with its configuration, and an admission plug-in', async () => {
      const { client } = stage;
      const group = client.naming.group('admissionregistration');
      const of = (plural: string, kind: string): ResourceType => ({
        group,
        version: 'v1',
        plural,
        kind,
        namespaced: false,
      });
      const maps = client.resource(coreV1.configmaps).in('default');
      await maps.create(map('plain', { a: 'one', b: 'one' }));
      await client.resource(of('validatingadmissionpolicies', 'ValidatingAdmissionPolicy')).create({
        metadata: { name: 'no-odd' },
        spec: {
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] },
            ],
          },
          validations: [{ expression: "!('odd' in object.data)", message: `nothing odd ${MARKUP}` }],
        },
      });
      await client.resource(of('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding')).create({
        metadata: { name: 'everywhere' },
        spec: { policyName: 'no-odd', validationActions: ['Deny'] },
      });
      const refuses = (data: Record<string, string>) =>
        maps.patch('plain', 'merge', { data }, { dryRun: true }).then(
          () => false,
          () => true,
        );
      await waitUntil('that the policy is in force', () => refuses({ odd: '1' }));
      const page = await stage.page(await stage.console('--write'));
      const byPolicy = await refused(page, 'configmaps.v1.', 'default/plain', 'a: one', 'odd: one');
      await byPolicy.getByRole('link', { name: 'ValidatingAdmissionPolicy no-odd' }).waitFor();
      await byPolicy.getByRole('link', { name: 'ValidatingAdmissionPolicyBinding everywhere' }).waitFor();
      assert.equal(await page.title(), 'Console');
      assert.equal(await page.locator('img').count(), 0);
      assert.deepEqual(await barriers(page), []);

      const hooks = await startHookServer({ no: { response: { allowed: false, status: { message: 'not that' } } } });
      try {
        await client.resource(admissionregistrationV1.validatingwebhookconfigurations).create({
          metadata: { name: 'guards' },
          webhooks: [
            {
              name: 'maps.example.com',
              clientConfig: { url: `${hooks.url}/no`, caBundle: Buffer.from(hooks.ca).toString('base64') },
              rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] }],
              objectSelector: { matchLabels: { guarded: 'yes' } },
              sideEffects: 'None',
              admissionReviewVersions: ['v1'],
            },
          ],
        });
        await maps.create({
          ...map('guarded', { a: 'one' }),
          metadata: { name: 'guarded', labels: { guarded: 'yes' } },
        });
        await waitUntil('that the webhook is in force', () =>
          maps.patch('guarded', 'merge', { data: { a: '2' } }, { dryRun: true }).then(
            () => false,
            () => true,
          ),
        );
        await closeEdited(page);
        const byWebhook = await refused(page, 'configmaps.v1.', 'default/guarded', 'a: one', 'a: two');
        await byWebhook.getByText('maps.example.com').first().waitFor();
        await byWebhook.getByRole('link', { name: 'ValidatingWebhookConfiguration guards' }).waitFor();
      } finally {
        await hooks.stop();
      }

      const claims = client.resource(coreV1.persistentvolumeclaims).in('default');
      await claims.create({
        metadata: { name: 'disk', namespace: 'default' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      await claims.patch('disk', 'merge', { status: { phase: 'Bound' } }, { subresource: 'status' });
      await closeEdited(page);
      const byPlugin = await refused(
        page,
        'persistentvolumeclaims.v1.',
        'default/disk',
        'storage: 1Gi',
        'storage: 2Gi',
      );
      await byPlugin.getByText('PersistentVolumeClaimResize').waitFor();
    });

    it('a read-only console', async () => {
      await stage.client
        .resource(coreV1.configmaps)
        .in('default')
        .create(map('kept', { a: 'one' }));
      const page = await stage.page(await stage.console());
      await page.getByRole('navigation').waitFor();
      const where = { kind: 'configmaps.v1.', namespace: 'default', name: 'kept', dryRun: false };
      const requests: readonly [path: string, body: object][] = [
        ['change', { ...where, change: { name: 'label', labels: { a: 'b' } } }],
        ['change', { ...where, change: { name: 'scale', replicas: 3 } }],
        ['save', { ...where, yaml: 'a: 1', base: 'a: 1' }],
        ['delete', where],
      ];
      for (const [path, body] of requests) {
        const answer = await page.evaluate(
          async ([to, sent]) => {
            const headers = { 'content-type': 'application/json', 'x-orch-console': '1' };
            const got = await fetch(`/api/${to as string}`, { method: 'POST', headers, body: JSON.stringify(sent) });
            return [got.status, JSON.stringify(await got.json())];
          },
          [path, body] as const,
        );
        assert.equal(answer[0], 403, path);
        assert.match(String(answer[1]), /only reads.*--write/, path);
      }
    });

    it('shows names, labels, conditions, events and subjects as plain text', async () => {
      const { client } = stage;
      const pods = client.resource(coreV1.pods).in('default');
      const { metadata } = await pods.create({
        metadata: { name: 'markup', namespace: 'default', annotations: { 'example.com/a': MARKUP } },
        spec: { containers: [{ name: 'a', image: 'b' }] },
      });
      const condition = {
        type: 'Odd',
        status: 'True' as const,
        reason: MARKUP,
        message: MARKUP,
        lastTransitionTime: new Date().toISOString(),
      };
      await pods.patch('markup', 'merge', { status: { conditions: [condition] } }, { subresource: 'status' });
      await client
        .resource(coreV1.events)
        .in('default')
        .create({
          metadata: { name: 'markup', namespace: 'default' },
          involvedObject: { kind: 'Pod', name: 'markup', namespace: 'default', uid: metadata.uid! },
          type: 'Warning',
          reason: MARKUP,
          message: MARKUP,
          firstTimestamp: new Date().toISOString(),
          lastTimestamp: new Date().toISOString(),
          source: { component: MARKUP },
          reportingComponent: '',
          reportingInstance: '',
        });
      await stage.bind(MARKUP, 'cluster-admin');
      const complaints: string[] = [];
      const page = await stage.page(await stage.console(), complaints);
      await stage.open(page, 'pods.v1.', 'default/markup');
      for (const [tab, shown] of [
        ['YAML', 'onerror'],
        ['Managers', 'fields'],
        ['Events', 'onerror'],
        ['Access', 'onerror'],
        ['History', 'onerror'],
      ] as const) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('tabpanel').getByText(shown).first().waitFor({ state: 'attached' });
        assert.equal(await page.title(), 'Console');
        assert.equal(await page.locator('main img').count(), 0);
      }
      assert.deepEqual(complaints, []);
    });
  });
