import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FieldPath } from '#base/errors/field-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { createFeatureGates } from '#server/config/feature-gates.ts';
import { validatePodSpec } from '#server/kinds/core/pod-spec/validate-pod-spec.ts';
import { sharedMessage } from '../../descriptors/load.ts';
import type { Container, PodSpec, Volume } from '../../generated/core.v1.ts';
import { fillDefaults } from '../../objects/fill-defaults.ts';
import { defaultPodSpec } from './default-pod-spec.ts';
import { pullPolicyOf } from './image-name.ts';

const context = { naming: createNaming('orch'), gates: createFeatureGates(), release: defaultRelease };

const PLAIN: Container = {
  name: 'c',
  image: 'nginx',
  imagePullPolicy: 'Always',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const EMPTY: PodSpec = {
  containers: [PLAIN],
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
};

function defaulted(spec: Partial<PodSpec>): PodSpec {
  const copy: PodSpec = structuredClone({ containers: [{ name: 'c', image: 'nginx' }], ...spec });
  fillDefaults(sharedMessage('core.v1.PodSpec'), asJson(copy));
  defaultPodSpec(copy);
  return copy;
}

function container(fields: Partial<Container>): { before: Partial<PodSpec>; after: Partial<PodSpec> } {
  return { before: { containers: [{ name: 'c', image: 'nginx', ...fields }] }, after: {} };
}

describe('defaults of a pod spec', () => {
  const specs: [title: string, before: Partial<PodSpec>, after: Partial<PodSpec>][] = [
    ['only a container', {}, {}],
    ['serviceAccount alone', { serviceAccount: 'a' }, { serviceAccount: 'a', serviceAccountName: 'a' }],
    [
      'serviceAccount and serviceAccountName',
      { serviceAccount: 'old', serviceAccountName: 'new' },
      { serviceAccount: 'new', serviceAccountName: 'new' },
    ],
    [
      'ports on the host network',
      { hostNetwork: true, containers: [{ ...PLAIN, ports: [{ containerPort: 80 }] }] },
      { hostNetwork: true, containers: [{ ...PLAIN, ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }] },
    ],
    [
      'amounts smaller than a thousandth',
      { overhead: { cpu: '100u', memory: '1Mi' } },
      { overhead: { cpu: '1m', memory: '1Mi' } },
    ],
    [
      'fields that are set already',
      { terminationGracePeriodSeconds: 0, restartPolicy: 'Never' },
      { terminationGracePeriodSeconds: 0, restartPolicy: 'Never' },
    ],
  ];
  for (const [title, before, after] of specs) {
    it(title, () => assert.deepEqual(defaulted(before), { ...EMPTY, ...after }));
  }

  const containers: [title: string, before: Partial<Container>, after: Partial<Container>][] = [
    [
      'a probe by HTTP',
      { livenessProbe: { httpGet: { port: 80 } } },
      {
        livenessProbe: {
          httpGet: { port: 80, path: '/', scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    [
      'a probe by gRPC',
      { readinessProbe: { grpc: { port: 8, service: null } } },
      {
        readinessProbe: {
          grpc: { port: 8, service: '' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    [
      'a variable from a field',
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } } }] },
    ],
  ];
  for (const [title, before, after] of containers) {
    it(title, () => assert.deepEqual(defaulted(container(before).before).containers, [{ ...PLAIN, ...after }]));
  }

  const volumes: [title: string, before: Partial<Volume>, after: Partial<Volume>][] = [
    ['no source', {}, { emptyDir: {} }],
    ['hostPath', { hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    ['secret', { secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 0o644 } }],
    [
      'a projected token',
      { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }], defaultMode: 420 } },
    ],
    [
      'an ephemeral volume claim',
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } } } },
    ],
    [
      'azureDisk',
      { azureDisk: { diskName: 'd', diskURI: 'u' } },
      {
        azureDisk: {
          diskName: 'd',
          diskURI: 'u',
          cachingMode: 'ReadWrite',
          kind: 'Shared',
          fsType: 'ext4',
          readOnly: false,
        },
      },
    ],
  ];
  for (const [title, before, after] of volumes) {
    it(`volume: ${title}`, () => {
      assert.deepEqual(defaulted({ volumes: [{ name: 'v', ...before }] }).volumes, [{ name: 'v', ...after }]);
    });
  }

  it('changes nothing when applied again, and makes a valid pod spec', () => {
    const names = fc.stringMatching(/^[a-z]([a-z0-9]{0,8})$/);
    const sources = fc.constantFrom<Partial<Volume>>({}, { secret: { secretName: 's' } }, { hostPath: { path: '/x' } });
    const probes = fc.constantFrom<Container['livenessProbe']>(
      { tcpSocket: { port: 1 } },
      { httpGet: { port: 'web' } },
    );
    const container = fc.record({ name: names, image: names, livenessProbe: probes }) as fc.Arbitrary<Container>;
    const spec = fc.record({
      containers: fc.uniqueArray(container, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
      volumes: fc.uniqueArray(
        fc.tuple(names, sources).map(([name, source]) => ({ name, ...source })),
        { selector: ({ name }) => name, maxLength: 3 },
      ),
      hostNetwork: fc.boolean(),
    });
    fc.assert(
      fc.property(spec, (given) => {
        const once = defaulted(given);
        assert.deepEqual(defaulted(once), once);
        assert.deepEqual(validatePodSpec(once, {}, new FieldPath('spec'), context), []);
      }),
      { numRuns: 50 },
    );
  });
});

describe('pullPolicyOf', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  for (const [image, policy] of [
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['nginx:1.2', 'IfNotPresent'],
    ['host:5000/a/b', 'Always'],
    ['host:5000/a/b:1', 'IfNotPresent'],
    [`nginx@${digest}`, 'IfNotPresent'],
    [`nginx:latest@${digest}`, 'Always'],
    ['Not An Image', 'IfNotPresent'],
    ['', 'IfNotPresent'],
    [`${'a'.repeat(5000)}!`, 'IfNotPresent'],
  ] as const) {
    it(`${image.slice(0, 40)} → ${policy}`, () => assert.equal(pullPolicyOf(image), policy));
  }
});
