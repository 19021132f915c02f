import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIENT_AUTH, CN, makeAuthority, makeCertificate } from '#base/x509/make-certificate.ts';
import { formatConnection } from '#program/connection/write-connection-file.ts';
import { freePort } from '#storage-etcd/testing/etcd-process.ts';
import { answerJson, startTlsServer, type TestServer } from '../../authentication/testing/tls-server.ts';
import type { PluginEnvironment } from '../plugin.ts';
import { naming, type Outcome, podWith, surroundings, type Trial, tryPlugin } from '../testing/try-plugin.ts';
import { imagePolicyWebhook } from './image-policy-webhook.ts';

const apiVersion = naming.apiVersion('imagepolicy', 'v1alpha1');

describe('ImagePolicyWebhook', () => {
  let directory: string;
  let backend: TestServer;
  let behaviour: 'good' | 'wrong' | 'slow' | 'failing';
  // biome-ignore lint/suspicious/noExplicitAny: the last received review
  let asked: any;

  before(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'image-policy-'));
    backend = await startTlsServer((_request, response, body) => {
      asked = JSON.parse(body);
      if (behaviour === 'slow') return;
      if (behaviour === 'failing') return answerJson(response, {}, 500);
      if (behaviour === 'wrong') return answerJson(response, { status: { allowed: 'perhaps' } });
      const images = (asked.spec.containers as { image: string }[]).map(({ image }) => image);
      const bad = images.find((image) => image.startsWith('bad'));
      answerJson(response, {
        spec: { containers: [{ image: 'bad:2' }] },
        status: {
          ...(bad === undefined ? { allowed: true } : { allowed: false, reason: `${bad} is bad` }),
          auditAnnotations: { asked: images.join(), 'no name': 'x' },
        },
      });
    }, true);
  });

  beforeEach(() => {
    behaviour = 'good';
  });

  after(async () => {
    await backend.stop();
    rmSync(directory, { recursive: true });
  });

  interface Setup {
    readonly server?: string;
    readonly ca?: string;
    readonly policy?: object;
    readonly enabled?: boolean;
  }

  /** Starts the plug-in. The setup says how long a request to it may take. */
  function start({ server, ca, policy, enabled = true }: Setup = {}) {
    const { authority } = backend;
    const client = makeCertificate({ subject: [[CN, 'apiserver']], by: authority, usages: [CLIENT_AUTH] });
    const connection = { server: server ?? backend.url, ca: ca ?? backend.ca };
    const file = path.join(directory, 'backend.conf');
    writeFileSync(
      file,
      formatConnection('b', { ...connection, clientCertificate: client.pem, clientKey: client.keyPem }),
    );
    const environment: PluginEnvironment = surroundings({
      configuration: { imagePolicy: { kubeConfigFile: file, retryBackoff: 1, ...policy } },
      flags: enabled ? [`--runtime-config=${apiVersion}=true`] : [],
    });
    const plugin = imagePolicyWebhook(environment);
    return (object: object, waitMs = 5000, trial: Trial = {}): Promise<Outcome> => {
      const limited = {
        ...plugin,
        validate: (request: Parameters<NonNullable<typeof plugin.validate>>[0]) => {
          const context = Object.assign(request.context, {
            signal: new AbortController().signal,
            deadlineAt: performance.now() + waitMs,
          });
          return plugin.validate!({ ...request, context });
        },
      };
      return tryPlugin(limited, { object, ...trial });
    };
  }

  const pod = (...images: readonly string[]) =>
    podWith({ containers: images.map((image, i) => ({ name: `c${i}`, image })) });

  it('sends the images of all containers and the annotations for the backend', async () => {
    const ask = start();
    const mine = `x.${naming.domain('image-policy')}/ticket`;
    const object = podWith(
      { initContainers: [{ name: 'first', image: 'one' }] },
      { annotations: { [mine]: '7', other: 'x' } },
    );
    assert.equal((await ask(object)).refused, '');
    assert.equal(asked.apiVersion, apiVersion);
    assert.deepEqual(asked.spec, {
      containers: [{ image: 'i' }, { image: 'one' }],
      annotations: { [mine]: '7' },
      namespace: 'ns',
    });
  });

  it('refuses a pod with the reason of the backend', async () => {
    const { refused, annotations } = await start()(pod('good', 'bad:1'));
    assert.equal(refused, 'image policy webhook backend denied one or more images: bad:1 is bad');
    assert.deepEqual(annotations, { [`${naming.domain('imagepolicywebhook.image-policy')}/asked`]: 'good,bad:1' });
  });

  it('caches allowed and denied images, each for its own time', async () => {
    const ask = start({ policy: { allowTTL: 3, denyTTL: -1 } });
    const count = async (image: string) => {
      const before = backend.requests;
      await ask(pod(image));
      return backend.requests - before;
    };
    assert.equal(await count('good'), 1);
    assert.equal(await count('good'), 0);
    assert.equal(await count('bad'), 1);
    assert.equal(await count('bad'), 1);
    // If this never happens, mocha's time limit ends the test.
    while ((await count('good')) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  const failures: Record<string, () => Promise<Setup & { waitMs?: number; behaviour?: typeof behaviour }>> = {
    'answers with an error': async () => ({ behaviour: 'failing' }),
    'sends an answer without a decision': async () => ({ behaviour: 'wrong' }),
    'is too slow': async () => ({ behaviour: 'slow', waitMs: 100 }),
    'is not running': async () => ({ server: `https://127.0.0.1:${await freePort()}` }),
    'has an untrusted certificate': async () => ({ ca: makeAuthority('other').pem }),
  };
  for (const [what, setup] of Object.entries(failures)) {
    it(`follows defaultAllow if the backend ${what}, and does not cache that`, async () => {
      const { waitMs, behaviour: bad = 'good', ...rest } = await setup();
      behaviour = bad;
      const closed = start({ ...rest, policy: { defaultAllow: false } });
      assert.notEqual((await closed(pod('good'), waitMs)).refused, '');
      const open = await start({ ...rest, policy: { defaultAllow: true } })(pod('good'), waitMs);
      assert.equal(open.refused, '');
      assert.equal(open.object.metadata.annotations[naming.key('alpha.image-policy/failed-open')], 'true');
      if (bad === 'good') return;
      behaviour = 'good';
      assert.equal((await closed(pod('good'))).refused, '');
    });
  }

  it('refuses to start without its API version, with a bad connection file or with bad values', () => {
    assert.throws(() => start({ enabled: false }), /runtime-config/);
    assert.throws(() => start({ policy: { kubeConfigFile: '/none' } }), /cannot read/);
    assert.throws(() => start({ policy: { allowTTL: 'long' } }), /allowTTL/);
    assert.throws(() => start({ policy: { denyTTL: -2 } }), /denyTTL/);
    assert.throws(() => start({ server: 'http://127.0.0.1' }), /https/);
  });
});
