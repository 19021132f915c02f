import assert from 'node:assert/strict';
import type { EndpointAddress, Pod, Service } from '#schema/generated/core.v1.ts';
import { subsetsOf, truncate } from './endpoint-subsets.ts';

describe('truncate', () => {
  const ip = (text: string): EndpointAddress => ({ ip: text });
  const subsets = [
    { addresses: [ip('a'), ip('b')], notReadyAddresses: [ip('c')] },
    { addresses: [ip('d')], ports: [{ port: 1 }] },
    { notReadyAddresses: [ip('e')] },
  ];
  const cases: [most: number, left: string][] = [
    [5, 'ab/c d/ /e'],
    [4, 'ab/c d/'],
    [3, 'ab/ d/'],
    [1, 'a/'],
  ];
  for (const [most, left] of cases)
    it(`keeps ${most} addresses, ready ones first`, () => {
      const names = (addresses: EndpointAddress[] = []) => addresses.map((address) => address.ip).join('');
      const kept = truncate(subsets, most);
      assert.equal(kept.map((s) => `${names(s.addresses)}/${names(s.notReadyAddresses)}`).join(' '), left);
      assert.equal(kept === subsets, most === 5);
    });
});

describe('subsetsOf', () => {
  /** A pod with a port, as text: `p1 10.0.0.1 web=8080`. `!p1 …` is not ready, and `?p1 …` has no node. */
  const pod = (text: string): Pod => {
    const [name = '', podIP, port] = text.replace(/^[!?]+/, '').split(' ');
    const [portName, containerPort] = port?.split('=') ?? [];
    return {
      metadata: { name, namespace: 'n', uid: name },
      spec: {
        ...(text.includes('?') ? {} : { nodeName: 'n1' }),
        containers: [{ ports: port ? [{ name: portName, containerPort: Number(containerPort) }] : [] }],
      },
      status: { podIP, conditions: [{ type: 'Ready', status: text.includes('!') ? 'False' : 'True' }] },
    } as unknown as Pod;
  };
  const service = (...ports: object[]): Service => ({ metadata: { name: 's' }, spec: { ports } }) as unknown as Service;
  const headless = { metadata: { name: 's' }, spec: { clusterIP: 'None' } } as Service;
  const [web, fixed] = [
    { name: 'web', port: 80, targetPort: 'web' },
    { name: 'fixed', port: 81 },
  ];
  const rows: readonly [string, Service, string[], string[]][] = [
    ['pods of a headless service without ports', headless, ['a 10.0.0.1'], ['a / ']],
    ['no pods of a service without ports that is not headless', service(), ['a 10.0.0.1'], []],
    ['no pods without the named port', service(web), ['a 10.0.0.1'], []],
    ['no pods without a node', service(fixed), ['a 10.0.0.1', '?b 10.0.0.2', '?!c 10.0.0.3'], ['a / fixed:81']],
    [
      'pods without a node with publishNotReadyAddresses',
      { metadata: { name: 's' }, spec: { publishNotReadyAddresses: true, ports: [fixed] } } as Service,
      ['a 10.0.0.1', '?!b 10.0.0.2'],
      ['a b / fixed:81'],
    ],
    [
      'ready and not ready pods, sorted by address',
      service(fixed),
      ['b 10.0.0.2', 'a 10.0.0.1', '!c 10.0.0.3'],
      ['a b /c fixed:81'],
    ],
    [
      'all ports of the same pods in one subset',
      service(web, fixed),
      ['a 10.0.0.1 web=8080', 'b 10.0.0.2 web=8080'],
      ['a b / fixed:81 web:8080'],
    ],
    [
      'separate subsets for a port that differs between pods',
      service(web, fixed),
      ['a 10.0.0.1 web=8080', 'b 10.0.0.2 web=9090', 'c 10.0.0.3'],
      ['a b c / fixed:81', 'a / web:8080', 'b / web:9090'],
    ],
    ['pods with the same address', service(fixed), ['a 10.0.0.1', 'b 10.0.0.1'], ['a b / fixed:81']],
  ];
  for (const [what, of, pods, wanted] of rows)
    it(what, () => {
      const names = (all: EndpointAddress[] = []) => all.map(({ targetRef }) => targetRef?.name).join(' ');
      const shown = subsetsOf(of, pods.map(pod)).map(
        ({ addresses, notReadyAddresses, ports = [] }) =>
          `${names(addresses)} /${names(notReadyAddresses)} ${ports
            .map(({ name, port }) => `${name}:${port}`)
            .sort()
            .join(' ')}`,
      );
      assert.deepEqual(shown, wanted);
    });
});
