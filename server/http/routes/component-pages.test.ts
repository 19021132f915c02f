import assert from 'node:assert/strict';
import { aroundAll } from '../../testing/around-all.ts';
import type { TestReplica } from '../../testing/replica.ts';

describe('a server of release 1.37', () => {
  let replica: TestReplica;

  aroundAll(
    (started) => {
      replica = started;
    },
    '--emulated-version=1.37',
    '--max-requests-inflight=123',
  );

  const get = async (path: string, accept?: string) => {
    const { status, text, headers } = await replica.call('GET', path, accept ? { headers: { Accept: accept } } : {});
    return { status, text, headers };
  };

  it('shows its version and paths at /statusz', async () => {
    const { status, text } = await get('/statusz', 'text/plain');
    assert.equal(status, 200);
    assert.match(text, /^\napiserver statusz\nWarning: /);
    assert.match(text, /^Emulation version: 1\.37$/m);
    assert.match(text, /^Paths: .*\/flagz .*\/statusz/m);
    assert.doesNotMatch(text, /^Paths: .*\/apis/m);
  });

  it('shows the values of its flags at /flagz', async () => {
    const { text } = await get('/flagz');
    assert.match(text, /^max-requests-inflight=123$/m);
    assert.match(text, /^anonymous-auth=true$/m);
  });

  it('serves versioned JSON and YAML documents of both pages to programs', async () => {
    const { text } = await get('/flagz', 'application/json;v=v1beta1;g=config.orch.io;as=Flagz');
    const document = JSON.parse(text);
    assert.deepEqual(
      [document.kind, document.apiVersion, document.metadata.name, document.flags['max-requests-inflight']],
      ['Flagz', 'config.orch.io/v1beta1', 'apiserver', '123'],
    );
    const old = await get('/statusz', 'application/yaml;v=v1alpha1;g=config.orch.io;as=Statusz');
    assert.match(old.text, /^kind: Statusz$/m);
    assert.match(String(old.headers['warning']), /deprecated/);
  });

  for (const accept of ['application/json', 'application/json;v=v1;g=config.orch.io;as=Statusz', 'image/png'])
    it(`answers 406 for ${accept}`, async () => {
      const { status, text } = await get('/statusz', accept);
      assert.equal(status, 406);
      assert.equal(JSON.parse(text).reason, 'NotAcceptable');
    });

  it('counts the results of its health checks at /metrics/slis', async () => {
    await get('/readyz');
    const { text } = await get('/metrics/slis');
    assert.match(text, /^orch_healthcheck\{name="ping",type="readyz"\} 1$/m);
    assert.match(text, /^orch_healthchecks_total\{name="ping",status="success",type="readyz"\} \d+$/m);
    assert.doesNotMatch((await get('/metrics')).text, /orch_healthcheck/);
  });
});

describe('a server of release 1.25', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });

  for (const path of ['/statusz', '/flagz', '/metrics/slis'])
    it(`answers 404 for ${path}`, async () => assert.equal((await replica.call('GET', path)).status, 404));
});
