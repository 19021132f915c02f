import assert from 'node:assert/strict';
import type { Endpoints } from '#schema/generated/core.v1.ts';
import type { EndpointSlice } from '#schema/generated/discovery.v1.ts';
import { changesTo, type Mirrored, mirrorOf } from './mirror-slices.ts';

const MOST = 3;
const http = [{ name: 'http', port: 80 }];
const udp = [{ port: 53, protocol: 'UDP', appProtocol: 'x' }];

/**
 * A slice as text: `IPv4 http:80/TCP: 1.1.1.1 r, h=1.1.1.2@n`. It has the family, the ports and the addresses, with `r`
 * for ready ones.
 */
function textOf({ addressType, ports, endpoints }: Mirrored): string {
  const shownPorts = (ports ?? []).map(({ name, port, protocol }) => `${name}:${port}/${protocol}`);
  const shown = (endpoints ?? []).map(
    ({ addresses, conditions, hostname, nodeName, targetRef }) =>
      `${hostname ? `${hostname}=` : ''}${addresses}${nodeName ? `@${nodeName}` : ''}` +
      `${targetRef ? `(${targetRef.name})` : ''}${conditions?.ready ? ' r' : ''}`,
  );
  return `${addressType} ${shownPorts.join('+')}: ${shown.join(', ')}`;
}

const ips = (...all: string[]) => all.map((ip) => ({ ip }));

describe('mirrorOf', () => {
  const rows: readonly [string, Endpoints['subsets'], readonly string[], number?][] = [
    ['nothing', [], []],
    ['no subsets', undefined, []],
    ['one address', [{ addresses: ips('1.1.1.1'), ports: http }], ['IPv4 http:80/TCP: 1.1.1.1 r']],
    ['addresses without ports', [{ addresses: ips('1.1.1.1') }], ['IPv4 : 1.1.1.1 r']],
    [
      'ready and not ready addresses with all their fields',
      [
        {
          addresses: [{ ip: '1.1.1.1', hostname: 'h', nodeName: 'n', targetRef: { kind: 'Pod', name: 'p' } }],
          notReadyAddresses: ips('1.1.1.2'),
          ports: udp,
        },
      ],
      ['IPv4 :53/UDP: h=1.1.1.1@n(p) r, 1.1.1.2'],
    ],
    [
      'a slice for each address family',
      [{ addresses: ips('fd00::1', '1.1.1.1'), ports: http }],
      ['IPv6 http:80/TCP: fd00::1 r', 'IPv4 http:80/TCP: 1.1.1.1 r'],
    ],
    [
      'subsets with the same ports in one slice, with the last state of each address',
      [
        { addresses: ips('1.1.1.1', '1.1.1.2'), ports: http },
        { notReadyAddresses: ips('1.1.1.1'), ports: http },
      ],
      ['IPv4 http:80/TCP: 1.1.1.1, 1.1.1.2 r'],
    ],
    [
      'an address with another port or hostname as a separate endpoint',
      [
        { addresses: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1', hostname: 'h' }], ports: http },
        { addresses: ips('1.1.1.1'), ports: udp },
      ],
      ['IPv4 http:80/TCP: 1.1.1.1 r, h=1.1.1.1 r', 'IPv4 :53/UDP: 1.1.1.1 r'],
    ],
    [
      'a limited number of addresses for each subset, ready ones first',
      [
        { addresses: ips('1.1.1.1', '1.1.1.2'), notReadyAddresses: ips('1.1.1.3', '1.1.1.4'), ports: http },
        { addresses: ips('2.1.1.1', '2.1.1.2', '2.1.1.3', '2.1.1.4'), ports: udp },
      ],
      ['IPv4 http:80/TCP: 1.1.1.1 r, 1.1.1.2 r, 1.1.1.3', 'IPv4 :53/UDP: 2.1.1.1 r, 2.1.1.2 r, 2.1.1.3 r'],
      2,
    ],
  ];
  for (const [what, subsets, slices, skipped = 0] of rows)
    it(what, () => {
      const mirror = mirrorOf({ metadata: { name: 'e' }, ...(subsets && { subsets }) } as Endpoints, MOST);
      assert.deepEqual(mirror.slices.map(textOf), slices);
      assert.equal(mirror.skipped, skipped);
    });
});

describe('changesTo', () => {
  const content = (port: number, ...all: string[]): Mirrored => ({
    addressType: 'IPv4',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: all.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
  });
  const slice = (name: string, of: Mirrored, labels = {}): EndpointSlice =>
    ({ metadata: { name, labels }, ...of }) as unknown as EndpointSlice;
  const [a, b] = [content(80, '1.1.1.1', '1.1.1.2'), content(81, '1.1.1.3')];
  const rows: readonly [string, readonly Mirrored[], readonly EndpointSlice[], string][] = [
    ['creates a missing slice', [a], [], 'create 80'],
    [
      'does not change a slice with the same addresses in another order',
      [a],
      [slice('x', content(80, '1.1.1.2', '1.1.1.1'))],
      '',
    ],
    ['updates a slice with a missing address', [a], [slice('x', content(80, '1.1.1.1'))], 'update x to 80'],
    ['updates a slice with a removed address', [b], [slice('x', content(81, '1.1.1.3', '1.1.1.4'))], 'update x to 81'],
    ['updates a slice with wrong labels', [a], [slice('x', a, { wrong: 'yes' })], 'update x to 80'],
    ['removes a slice if there is nothing to mirror', [], [slice('x', a)], 'remove x'],
    ['removes a duplicate slice', [a], [slice('x', a), slice('y', a)], 'remove y'],
    ['reuses a slice that is no longer needed', [b], [slice('x', a)], 'update x to 81'],
    ['keeps a matching slice instead of reusing it', [b, a], [slice('x', a)], 'create 81'],
    [
      'does not reuse a slice of another address family',
      [a],
      [slice('x', { ...b, addressType: 'IPv6' })],
      'create 80; remove x',
    ],
  ];
  for (const [what, wanted, existing, changes] of rows)
    it(what, () => {
      const { create, update, remove } = changesTo(wanted, existing, ({ metadata }) => !metadata.labels?.['wrong']);
      const portOf = ({ ports }: Mirrored) => ports[0]?.port;
      const texts = [
        ...create.map((made) => `create ${portOf(made)}`),
        ...update.map((change) => `update ${change.slice.metadata.name} to ${portOf(change.content)}`),
        ...remove.map(({ metadata }) => `remove ${metadata.name}`),
      ];
      assert.equal(texts.join('; '), changes);
    });
});
