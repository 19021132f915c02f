import type { JsonObject } from '#base/json/json-value.ts';
import { container, deployment, inContainer, object, type Triple } from './triple.ts';

const port = (number: number, protocol: string, rest: JsonObject = {}): JsonObject => ({
  ...{ name: `p${number}-${protocol.toLowerCase()}`, port: number, protocol },
  ...rest,
});
const service = (...ports: readonly JsonObject[]): JsonObject =>
  object('v1', 'Service', { spec: { type: 'NodePort', selector: { app: 'dns' }, ports: [...ports] } });
const ports = (...ports: readonly (readonly [number: number, protocol: string])[]): JsonObject =>
  container({ ports: ports.map(([containerPort, protocol]) => ({ containerPort, protocol })) });
const env = (...pairs: readonly (readonly [name: string, value: string])[]): JsonObject =>
  container({ env: pairs.map(([name, value]) => ({ name, value })) });
const spread = (whenUnsatisfiable: string, maxSkew: number): JsonObject => ({
  ...{ topologyKey: 'zone', maxSkew, whenUnsatisfiable },
  labelSelector: { matchLabels: { app: 'a' } },
});
const spreads = (...topologySpreadConstraints: readonly JsonObject[]): JsonObject =>
  deployment({ topologySpreadConstraints: [...topologySpreadConstraints] });
const [udp, tcp] = [port(53, 'UDP'), port(53, 'TCP')];

/** Lists whose merge key is not enough to distinguish items. */
export const repeatedKeyTriples: readonly Triple[] = [
  { what: 'one number for two protocols: nothing changes', file: service(udp, tcp), next: service(udp, tcp) },
  {
    what: 'one number for two protocols: one gets another target',
    file: service(udp, tcp),
    next: service(udp, { ...tcp, targetPort: 5353 }),
  },
  { what: 'one number for two protocols: one is dropped', file: service(udp, tcp), next: service(udp) },
  {
    what: 'one of four ports is dropped',
    file: service(udp, tcp, port(80, 'TCP'), port(443, 'TCP')),
    next: service(udp, port(80, 'TCP'), port(443, 'TCP')),
  },
  {
    what: 'one number for two protocols: others have added a port',
    file: service(udp, tcp),
    change: [{ op: 'add', path: '/spec/ports/-', value: port(99, 'TCP') }],
    by: 'json',
    next: service(tcp, udp),
  },
  {
    what: 'ports of a container: a second protocol is added',
    file: ports([53, 'UDP'], [80, 'TCP']),
    next: ports([53, 'UDP'], [53, 'TCP'], [80, 'TCP']),
  },
  {
    what: 'ports of a container: one of two protocols is dropped',
    file: ports([53, 'UDP'], [53, 'TCP'], [80, 'TCP']),
    next: ports([53, 'TCP'], [80, 'TCP']),
  },
  {
    what: 'env: a doubled name is one again',
    file: env(['A', '1'], ['B', '1'], ['A', '2']),
    next: env(['A', '2'], ['B', '1']),
  },
  { what: 'env: a name is doubled', file: env(['A', '1'], ['B', '1']), next: env(['A', '1'], ['B', '1'], ['A', '2']) },
  {
    what: 'env: others have doubled a name',
    file: env(['A', '1']),
    change: [{ op: 'add', path: '/spec/template/spec/containers/0/env/-', value: { name: 'A', value: 'others' } }],
    by: 'json',
    next: env(['A', '2']),
  },
  {
    what: 'env: a doubled name that stays, beside that of others',
    file: env(['A', '1'], ['A', '2']),
    change: inContainer({ env: [{ name: 'X', value: 'others' }] }),
    next: env(['A', '1'], ['A', '2']),
  },
  {
    what: 'topologySpreadConstraints: one key with two answers',
    file: spreads(spread('DoNotSchedule', 1), spread('ScheduleAnyway', 1)),
    next: spreads(spread('DoNotSchedule', 2), spread('ScheduleAnyway', 1)),
  },
];
