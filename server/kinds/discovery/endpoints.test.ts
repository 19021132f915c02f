import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { createFeatureGates } from '../../config/feature-gates.ts';
import { aroundAll } from '../../testing/around-all.ts';
import { type TestReplica, testNaming } from '../../testing/replica.ts';
import { createEndpointsRules } from '../core/endpoints.ts';
import { createEndpointSliceRules } from './endpoint-slice.ts';

const endpointSlice = createEndpointSliceRules(defaultRelease);
const endpoints = createEndpointsRules(defaultRelease);

const naming = createNaming('orch');
const gates = createFeatureGates();
const context: WriteContext = {
  naming,
  gates,
  release: defaultRelease,
  user: undefined,
  dryRun: false,
  now: '2026-01-01T00:00:00Z',
  group: '',
  version: 'v1',
  warn: () => undefined,
};

type Row = [what: string, object: object, after: object | string[]];

function table(title: string, rules: KindRules, rows: Row[]): void {
  describe(title, () => {
    for (const [what, content, after] of rows) {
      it(what, () => {
        const object = { metadata: { name: 'a', namespace: 'ns' }, ...structuredClone(content) } as ApiObject;
        rules.versions!['v1']!.defaults!(object, { naming, gates, release: defaultRelease });
        rules.prepareForCreate?.(object, context);
        const twice = structuredClone(object);
        rules.versions!['v1']!.defaults!(twice, { naming, gates, release: defaultRelease });
        assert.deepEqual(twice, object, 'defaulting once is enough');
        rules.canonicalize?.(object, context);
        const errors = rules.validate!(object, context).map(({ text }) => text.slice(0, 90));
        const { metadata: _metadata, ...rest } = object;
        assert.deepEqual(errors.length > 0 ? errors : rest, after);
        if (errors.length === 0) assert.deepEqual(rules.validateUpdate?.(object, object, context) ?? [], []);
      });
    }
  });
}

const slice = (...list: object[]) => ({ addressType: 'IPv4', endpoints: list });
const one = { addresses: ['10.1.1.1'] };

table('endpoint slices', endpointSlice, [
  [
    'get a default name and protocol of ports',
    { ...slice(one), ports: [{ port: 1 }] },
    { ...slice(one), ports: [{ port: 1, name: '', protocol: 'TCP' }] },
  ],
  ['lose deprecatedTopology', slice({ ...one, deprecatedTopology: { a: 'b' } }), slice(one)],
  ['need an address type', { endpoints: null }, ['addressType: Required value']],
  [
    'cannot have an unknown address type',
    { ...slice(one), addressType: 'IP' },
    ['addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"'],
  ],
  [
    'need an address in each endpoint',
    slice({}),
    ['endpoints[0].addresses: Required value: must contain at least 1 address'],
  ],
  [
    'cannot have an address of the other family',
    slice({ addresses: ['fd00::1'] }),
    ['endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address'],
  ],
  [
    'cannot have a domain name of one label',
    { ...slice({ addresses: ['x'] }), addressType: 'FQDN' },
    ['endpoints[0].addresses[0]: Invalid value: "x": should be a domain with at least two segmen'],
  ],
  [
    'cannot have a duplicate zone in hints',
    slice({ ...one, hints: { forZones: [{ name: 'z' }, { name: 'z' }] } }),
    ['endpoints[0].hints.forZones[1].name: Duplicate value: "z"'],
  ],
  ['cannot have a duplicate port name', { ...slice(one), ports: [{}, {}] }, ['ports[1].name: Duplicate value: ""']],
  [
    'cannot have more than 1000 endpoints',
    slice(...Array.from({ length: 1001 }, () => one)),
    ['endpoints: Too many: 1001: must have at most 1000 items'],
  ],
]);

const subset = (...list: object[]) => ({ subsets: list });
const ready = { addresses: [{ ip: '10.1.1.1' }] };

table('endpoints', endpoints, [
  [
    'get a default protocol of ports',
    subset({ ...ready, ports: [{ port: 80 }] }),
    subset({ ...ready, ports: [{ port: 80, protocol: 'TCP' }] }),
  ],
  ['can be empty', {}, {}],
  [
    'need addresses in each subset',
    subset({ ports: [{ port: 80 }] }),
    ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
  ],
  [
    'cannot have a loopback address',
    subset({ addresses: [{ ip: '127.0.0.1' }] }),
    ['subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range ('],
  ],
  [
    'need names of ports if there are several',
    subset({ ...ready, ports: [{ port: 80 }, { port: 81, name: 'a' }] }),
    ['subsets[0].ports[0].name: Required value'],
  ],
]);

describe('updates and tables of endpoints', () => {
  it('cannot change the address type', () => {
    const metadata = { name: 'a', namespace: 'ns' };
    const old = { metadata, addressType: 'IPv4', endpoints: null, ports: null };
    const errors = endpointSlice.validateUpdate!({ ...old, addressType: 'IPv6' }, old, context);
    assert.deepEqual(
      errors.map(({ text }) => text),
      ['addressType: Invalid value: "IPv6": field is immutable'],
    );
  });

  it('show the first three endpoints', () => {
    const cell = (rules: object, object: object) =>
      (rules as KindRules).cells!(object as ApiObject, { naming, release: defaultRelease, now: 0 });
    const addresses = ['fd00::1', '10.0.0.2'].map((ip) => ({ ip }));
    const ports = [1, 2].map((port) => ({ port }));
    assert.equal(
      cell(endpoints, { metadata: {}, ...subset({ addresses, ports }) })[1],
      '[fd00::1]:1,10.0.0.2:1,[fd00::1]:2 + 1 more...',
    );
    assert.deepEqual(cell(endpointSlice, { metadata: {}, ...slice(one), ports: [{}] }).slice(1, 4), [
      'IPv4',
      '<unset>',
      '10.1.1.1',
    ]);
  });
});

describe('deprecatedTopology in an EndpointSlice', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  it('is dropped, and increases the generation', async () => {
    const slices = `/apis/${testNaming.apiVersion('discovery', 'v1')}/namespaces/default/endpointslices`;
    const body = { metadata: { name: 's' }, ...slice({ ...one, deprecatedTopology: { a: 'b' } }) };
    const created = await replica.call('POST', slices, { body });
    const updated = await replica.call('PUT', `${slices}/s`, { body });
    assert.deepEqual([created.status, updated.status], [201, 200]);
    assert.deepEqual([created.json.metadata.generation, updated.json.metadata.generation], [1, 2]);
    assert.deepEqual(updated.json.endpoints, created.json.endpoints);
    assert.equal(updated.json.endpoints[0].deprecatedTopology, undefined);
  });
});
