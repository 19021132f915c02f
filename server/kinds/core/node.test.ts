import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { node } from './node.ts';

const kind = new KindTester(node, 'core.v1', 'Node');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));

describe('a node', () => {
  it('has its capacity as allocatable by default, and its pod CIDRs in both fields', () => {
    const status = { capacity: { cpu: '0.0001', memory: '1Gi' } };
    assert.deepEqual(kind.created({ status }).status?.allocatable, { cpu: '1m', memory: '1Gi' });
    assert.deepEqual(kind.created({ spec: { podCIDR: '10.1.0.0/24' } }).spec?.podCIDRs, ['10.1.0.0/24']);
    assert.equal(kind.created({ spec: { podCIDRs: ['10.1.0.0/24', 'fd00::/64'] } }).spec?.podCIDR, '10.1.0.0/24');
    const both = kind.created({ spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.2.0.0/24'] } });
    assert.deepEqual(both.spec?.podCIDRs, ['10.1.0.0/24']);
  });

  it('can have one pod CIDR of each address family', () => {
    const errors = (podCIDRs: string[]) => fields(kind.errors({ spec: { podCIDRs } }));
    assert.deepEqual(errors(['10.1.0.0/24', 'fd00::/64']), []);
    assert.deepEqual(errors(['x']), ['spec.podCIDRs[0]']);
    assert.deepEqual(errors(['10.1.0.0/24', '10.1.0.0/24']), ['spec.podCIDRs', 'spec.podCIDRs[1]']);
    const [, unchecked, ...more] = kind.errors({ spec: { podCIDRs: ['10.1.0.0/24', 'x'] } });
    assert.equal(
      unchecked,
      'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:failed to parse cidr value:"x" with error:invalid CIDR address: x',
    );
    assert.deepEqual(fields(more), ['spec.podCIDRs']);
  });

  it('can have one taint for each key and effect', () => {
    const taint = { key: 'k', effect: 'NoSchedule' };
    const errors = kind.errors({ spec: { taints: [taint, { ...taint, value: 'v' }, { key: 'k', effect: 'Odd' }] } });
    assert.deepEqual(fields(errors), ['metadata.taints[1]', 'metadata.taints[2].effect']);
  });

  it('can set pod CIDRs and provider ID only once', () => {
    const spec = { podCIDR: '10.1.0.0/24', providerID: 'a' };
    assert.deepEqual(kind.updateErrors({}, { spec }), []);
    const changed = { spec: { podCIDR: '10.2.0.0/24', providerID: 'b', externalID: 'e' } };
    assert.deepEqual(fields(kind.updateErrors({ spec }, changed)), [
      'spec.podCIDRs',
      'spec.providerID',
      'spec.externalID',
    ]);
  });

  it('shows its status, roles and addresses in tables', () => {
    const labels = { [kind.naming.key('node-role/b')]: '', [kind.naming.key('role')]: 'a' };
    const status = {
      conditions: [{ type: 'Ready', status: 'False' }],
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      nodeInfo: { kubeletVersion: 'v1' },
    };
    const row = kind.cells({ metadata: { name: 'x', labels }, spec: { unschedulable: true }, status });
    const unknown = '<unknown>';
    const state = 'NotReady,SchedulingDisabled';
    assert.deepEqual(row, ['x', state, 'a,b', unknown, 'v1', '10.0.0.1', '<none>', unknown, unknown, unknown]);
  });
});
