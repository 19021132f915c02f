import assert from 'node:assert/strict';
import { defaultRelease } from '#base/release/release.ts';
import { apiService } from './apiregistration/api-service.ts';
import { storageVersion } from './apiserverinternal/storage-version.ts';
import { lease } from './coordination/lease.ts';
import { runtimeClass } from './node/runtime-class.ts';
import { priorityClass, SYSTEM_PRIORITY_CLASSES } from './scheduling/priority-class.ts';
import { KindTester } from './testing/kind-tester.ts';

const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));

describe('a PriorityClass', () => {
  const kind = new KindTester(priorityClass, 'scheduling.v1', 'PriorityClass');

  it('preempts lower priorities by default, and has a maximum value', () => {
    assert.equal(kind.created({ value: 1 }).preemptionPolicy, 'PreemptLowerPriority');
    assert.deepEqual(fields(kind.errors({ value: 1_000_000_001, preemptionPolicy: 'x' })), [
      'value',
      'preemptionPolicy',
    ]);
  });

  it('can have a system name only with the value of the system', () => {
    for (const { name, value } of SYSTEM_PRIORITY_CLASSES) {
      assert.deepEqual(kind.errors({ metadata: { name }, value }), []);
      assert.deepEqual(fields(kind.errors({ metadata: { name }, value: 5 })), ['metadata.name']);
    }
    assert.deepEqual(fields(kind.errors({ metadata: { name: 'system-mine' }, value: 5 })), ['metadata.name']);
  });
});

describe('a RuntimeClass', () => {
  const kind = new KindTester(runtimeClass, 'node.v1', 'RuntimeClass');

  it('needs a valid handler that cannot change', () => {
    assert.deepEqual(fields(kind.errors({ handler: 'Bad.Handler' })), ['handler']);
    assert.deepEqual(fields(kind.updateErrors({ handler: 'a' }, { handler: 'b' })), ['handler']);
  });

  it('needs a valid overhead', () => {
    const overhead = { podFixed: { cpu: '-1' } };
    assert.deepEqual(fields(kind.errors({ handler: 'h', overhead })), ['overhead.limits[cpu]']);
  });
});

describe('a Lease', () => {
  it('needs a positive duration', () => {
    const kind = new KindTester(lease, 'coordination.v1', 'Lease');
    const errors = kind.errors({ spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } });
    assert.deepEqual(fields(errors), ['spec.leaseDurationSeconds', 'spec.leaseTransitions']);
  });
});

describe('an APIService', () => {
  const kind = new KindTester(apiService, 'apiregistration.v1', 'APIService');
  const spec = (more: object = {}) => ({
    metadata: { name: 'v1.example.com' },
    spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, ...more },
  });

  it('must be named after its version and group', () => {
    assert.deepEqual(kind.errors(spec()), []);
    assert.deepEqual(fields(kind.errors(spec({ version: 'v2' }))), ['metadata.name']);
    assert.deepEqual(kind.errors({ ...spec(), metadata: { name: 'v1.example.com', finalizers: ['plain'] } }), []);
  });

  it('is available at once if it has no service', () => {
    assert.equal(kind.created(spec()).status?.conditions?.[0]?.status, 'True');
    const remote = kind.created(spec({ service: { namespace: 'n', name: 's' } }));
    assert.deepEqual([remote.status, remote.spec?.service?.port], [{}, 443]);
  });

  it('can have conditions with status True, False or Unknown', () => {
    const having = (status: string) => ({ ...spec(), status: { conditions: [{ type: 'X', status }] } });
    for (const status of ['True', 'False', 'Unknown'])
      assert.deepEqual(kind.updateErrors(spec(), having(status), 'status'), []);
    const [error] = kind.updateErrors(spec(), having('Maybe'), 'status');
    assert.match(String(error), /supported values: "True", "False", "Unknown"/);
  });

  it('cannot have both a CA bundle and insecureSkipTLSVerify', () => {
    const both = { insecureSkipTLSVerify: true, caBundle: 'eA==' };
    assert.deepEqual(fields(kind.errors(spec(both))), ['spec.caBundle', 'spec.insecureSkipTLSVerify']);
    const service = { namespace: 'n', name: 's', port: 0 };
    assert.deepEqual(fields(kind.errors(spec({ ...both, service }))), [
      'spec.service.port',
      'spec.insecureSkipTLSVerify',
    ]);
  });

  it('may have a placeholder for its CA bundle, which another program replaces', () => {
    const trusting = (caBundle: string) => spec({ service: { namespace: 'n', name: 's' }, caBundle });
    for (const caBundle of ['', 'Cg==', 'bm8=']) assert.deepEqual(kind.errors(trusting(caBundle)), [], caBundle);
  });
});

describe('a StorageVersion', () => {
  const kind = new KindTester(storageVersion, 'internal.apiserver.v1alpha1', 'StorageVersion');
  const server = (encodingVersion: string, more: object = {}) => ({
    apiServerID: 'a',
    encodingVersion,
    decodableVersions: [encodingVersion],
    ...more,
  });

  it('shows at most three servers in tables', () => {
    const shown = (...storageVersions: object[]) =>
      storageVersion.cells!({ metadata: {}, spec: {}, status: { storageVersions } } as never, {
        naming: kind.naming,
        release: defaultRelease,
        now: 0,
      })[2];
    assert.equal(shown(), '<unset>');
    assert.equal(shown(server('v1')), 'a=v1');
    assert.equal(shown(...['v1', 'v2', 'v3', 'v4'].map((version) => server(version))), 'a=v1,a=v2,a=v3 + 1 more...');
  });

  it('starts without a status', () => {
    assert.deepEqual(kind.created({ status: { commonEncodingVersion: 'v1' } }).status, {});
  });

  for (const [what, name, wanted] of [
    ['a group and a resource with a dot between them', 'apps.deployments', 0],
    ['a resource without a group', 'deployments', 1],
    ['a bad group', 'Apps.deployments', 1],
    ['a bad group and a bad resource', 'a_b.1c', 2],
  ] as const) {
    it(`has ${wanted} errors if it is named after ${what}`, () => {
      assert.equal(storageVersion.validateName!(name).length, wanted);
    });
  }

  for (const [what, given, wanted] of [
    ['nothing', {}, []],
    ['one server', { storageVersions: [server('g/v1')], commonEncodingVersion: 'g/v1' }, []],
    [
      'two servers with different versions',
      { storageVersions: [server('v1'), server('v2', { apiServerID: 'b' })] },
      [],
    ],
    [
      'a malformed server',
      { storageVersions: [server('x/y/z', { apiServerID: 'Bad_ID', decodableVersions: [] })] },
      [
        'status.storageVersions[0].apiServerID',
        'status.storageVersions[0].encodingVersion',
        'status.storageVersions[0].decodableVersions',
        'status.commonEncodingVersion',
      ],
    ],
    [
      'invalid decodable versions',
      { storageVersions: [server('v1', { decodableVersions: ['v1', '/v1', 'g/'] })], commonEncodingVersion: 'v1' },
      ['status.storageVersions[0].decodableVersions[1]', 'status.storageVersions[0].decodableVersions[2]'],
    ],
    ['a common version without servers', { commonEncodingVersion: 'v1' }, ['status.commonEncodingVersion']],
    [
      'a duplicate and incomplete condition',
      { conditions: [{ type: 'A', status: 'True', reason: 'r', message: 'm' }, { type: 'A' }] },
      ['status[1].type', 'status[1].status', 'status[1].status', 'status[1].reason', 'status[1].message'],
    ],
  ] as const) {
    it(`has ${wanted.length} errors if its status contains ${what}`, () => {
      const errors = kind.updateErrors({}, { status: given }, 'status');
      assert.deepEqual(fields(errors), wanted);
    });
  }
});
