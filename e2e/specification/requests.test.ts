import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestReplica } from '#server/testing/replica.ts';
import { type Conversations, converse } from './conversation.ts';
import { TRIALS } from './conversations/dry-runs.ts';
import { VALIDATION } from './conversations/field-validation.ts';
import { FORMS } from './conversations/media-types.ts';
import { PARAMETERS } from './conversations/parameters.ts';
import { PATHS } from './conversations/paths.ts';
import { JSON_TYPE, NS } from './conversations/request-parts.ts';
import { VERBS } from './conversations/verbs.ts';

const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';

const SIGNING: Conversations = {
  'the approval of a request has its own sub-resource': [[`GET ${REQUESTS}/nosuch/approval`, 404, 'not found']],
};

describe('the specification: requests', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });
  // The server admits pods with the account that a controller makes.
  before(() => replica.call('POST', `${NS}/serviceaccounts`, { body: { metadata: { name: 'default' } } }));
  for (const conversations of [PATHS, VERBS, PARAMETERS, FORMS, VALIDATION, TRIALS, SIGNING])
    converse(() => replica, conversations);
  it('all built-in types can be read as JSON', async () => {
    const { json: groups } = await replica.call('GET', '/apis');
    const versions = groups.groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
      group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
    );
    for (const path of ['/api/v1', ...versions]) {
      const { json } = await replica.call('GET', path);
      for (const { name, verbs } of json.resources) {
        if (name.includes('/') || !verbs.includes('list')) continue;
        const list = await replica.call('GET', `${path}/${name}?limit=1`, { headers: JSON_TYPE });
        assert.equal(list.headers['content-type'], 'application/json', `${path}/${name}`);
      }
    }
  });
});
