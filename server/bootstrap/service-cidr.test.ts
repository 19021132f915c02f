import assert from 'node:assert/strict';
import type { ServiceCIDR } from '#schema/generated/networking.v1.ts';
import { settledCidr } from './service-cidr.ts';

const ready = (status: string) => ({ type: 'Ready', status, reason: '', message: '', lastTransitionTime: null });
const other = ready('True');
const cidr = (cidrs: string[], ...conditions: object[]) =>
  ({ metadata: { name: 'x' }, spec: { cidrs }, status: { conditions } }) as ServiceCIDR;

/** The visible result for an object: its ranges, and the states of its conditions. */
function seen(settled: ReturnType<typeof settledCidr>): string | undefined {
  if (settled === undefined || settled === 'other') return settled;
  const states = (settled.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`);
  return [...(settled.spec?.cidrs ?? []), ...states].join(' ');
}

describe('settledCidr: the ServiceCIDR of the flag', () => {
  const [four, six] = ['10.0.0.0/24', 'fd00::/112'];
  const rows: [what: string, object: ServiceCIDR, given: string[], after: string | undefined][] = [
    ['does not change if it is Ready', cidr([four], other), [four], undefined],
    ['does not change if it is not Ready', cidr([four], ready('False')), [four], undefined],
    ['becomes Ready if it has no condition', cidr([four]), [four], `${four} Ready=True`],
    ['becomes Ready if the condition is Unknown', cidr([four], ready('Unknown')), [four], `${four} Ready=True`],
    ['gets a second address family', cidr([four], other), [four, six], `${four} ${six} Ready=True`],
    ['keeps a second address family that the flag does not contain', cidr([four, six], other), [four], 'other'],
    ['keeps another range', cidr([four], other), ['10.1.0.0/24'], 'other'],
  ];
  for (const [what, object, given, after] of rows)
    it(what, () => assert.equal(seen(settledCidr(object, given)), after));
});
