import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aroundAll } from '../testing/around-all.ts';
import type { TestReplica } from '../testing/replica.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'anonymous-paths-'));
const file = path.join(folder, 'authentication.yaml');
writeFileSync(
  file,
  `apiVersion: apiserver.config.orch.io/v1
kind: AuthenticationConfiguration
anonymous: {enabled: true, conditions: [{path: /livez}]}
`,
);
const authorizers = path.join(folder, 'authorization.yaml');
writeFileSync(
  authorizers,
  `apiVersion: apiserver.config.orch.io/v1
kind: AuthorizationConfiguration
authorizers: [{type: Node, name: nodes}, {type: RBAC, name: rules}]
`,
);

describe('a server with authentication and authorization configuration files', () => {
  let replica: TestReplica;

  aroundAll(
    (started) => {
      replica = started;
    },
    '--emulated-version=1.37',
    `--authentication-config=${file}`,
    `--authorization-config=${authorizers}`,
  );
  after(() => rmSync(folder, { recursive: true }));

  const cases: [target: string, token: string | undefined, status: number][] = [
    ['/livez', '', 200],
    ['/livez?verbose', '', 200],
    ['/livez/', '', 401],
    ['/version', '', 401],
    ['/version', undefined, 200],
    ['/api/v1/namespaces', undefined, 200],
  ];
  for (const [target, token, status] of cases)
    it(`answers ${status} at ${target} ${token === '' ? 'without' : 'with'} credentials`, async () => {
      const answer = await replica.call('GET', target, token === undefined ? {} : { token });
      assert.equal(answer.status, status, answer.text);
    });
});
