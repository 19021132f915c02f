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

describe('the object of the ranges of cluster IPs', () => {
  const [four, six] = ['10.0.0.0/24', 'fd00::/112'];
  const rows: [what: string, object: ServiceCIDR, given: string[], after: string | undefined][] = [
    ['stays where it is ready', cidr([four], other), [four], undefined],
    ['stays where it was found not to be ready', cidr([four], ready('False')), [four], undefined],
    ['is ready where it was not judged', cidr([four]), [four], `${four} Ready=True`],
    ['is ready where that is not known', cidr([four], ready('Unknown')), [four], `${four} Ready=True`],
    ['gets a second family', cidr([four], other), [four, six], `${four} ${six} Ready=True`],
    ['keeps a second family that is not given', cidr([four, six], other), [four], 'other'],
    ['keeps another range', cidr([four], other), ['10.1.0.0/24'], 'other'],
  ];
  for (const [what, object, given, after] of rows)
    it(what, () => assert.equal(seen(settledCidr(object, given)), after));
});
