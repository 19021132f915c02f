import assert from 'node:assert/strict';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { authorizationV1, certificatesV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { startController } from '../testing/start-controller.ts';
import { approvingController } from './approving-controller.ts';
import { NODE_REQUEST, requestObject, SERVING_USAGES } from './testing/request-object.ts';

const REQUESTS = certificatesV1.certificatesigningrequests;

interface Review {
  readonly spec: { readonly user: string; readonly resourceAttributes: { readonly subresource: string } };
}

describe('certificate request approving controller', () => {
  for (const naming of namingProfiles.map(createNaming))
    it(`approves requests that an access review allows (${naming.profile})`, async () => {
      const server = new FakeServer([REQUESTS, authorizationV1.subjectaccessreviews], { strict: true, naming });
      const allowed = new Set(['system:node:n1 selfnodeclient', 'bootstrap nodeclient']);
      const reviewed: string[] = [];
      server.handle((call, path) => {
        if (call.method !== 'POST' || !path.endsWith('/subjectaccessreviews')) return undefined;
        const { spec } = JSON.parse(String(call.body)) as Review;
        const asked = `${spec.user} ${spec.resourceAttributes.subresource}`;
        reviewed.push(asked);
        return { metadata: {}, status: { allowed: allowed.has(asked) } };
      });
      const signer = naming.key('apiserver-client-kubelet');
      const add = (name: string, spec: object = {}, wish = NODE_REQUEST, conditions: string[] = []) =>
        server.put(REQUESTS, requestObject(name, signer, wish, { spec, conditions }));
      add('self');
      add('bootstrap', { username: 'bootstrap' });
      add('stranger', { username: 'stranger' });
      add('decided', {}, NODE_REQUEST, ['Denied']);
      add('serving', { usages: SERVING_USAGES });
      add('user', {}, { subject: [['CN', 'system:node:n1']] });
      add('other', { signerName: naming.key('apiserver-client') });
      add('garbage', { request: 'eA==' });
      const controller = await startController(approvingController, server);
      const message = (name: string) => server.get(REQUESTS, name)?.status?.conditions?.[0]?.message;
      await waitUntil('both are approved', () => message('self') && message('bootstrap'));
      await waitUntil('the stranger is refused', () => reviewed.includes('stranger nodeclient'));
      allowed.add('stranger nodeclient');
      await waitUntil('it is approved later', () => message('stranger'), 30_000);
      await controller.stop();
      assert.equal(message('self'), 'Auto approving self kubelet client certificate after SubjectAccessReview.');
      assert.equal(message('bootstrap'), 'Auto approving kubelet client certificate after SubjectAccessReview.');
      const writes = server.writes.map(({ what }) => what).filter((what) => what.startsWith('PUT'));
      const names = ['bootstrap', 'self', 'stranger'];
      assert.deepEqual(
        writes.sort(),
        names.map((name) => `PUT certificatesigningrequests/${name}/approval`),
      );
      for (const name of reviewed) assert.match(name, /^(system:node:n1|bootstrap|stranger) /);
    });
});
