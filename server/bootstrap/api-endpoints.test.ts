import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { apiEndpoints, apiSlices, type Replica, sliceNames } from './api-endpoints.ts';

const naming = createNaming('orch');
const { product } = naming;

describe('the endpoints of the API server', () => {
  const one: Replica = { address: '10.1.0.1', port: 6443 };
  const two: Replica = { address: '10.1.0.2', port: 6443 };
  const other: Replica = { address: '10.1.0.1', port: 7443 };
  const six: Replica = { address: 'fd00::1', port: 6443 };
  const rows: [what: string, replicas: Replica[], subsets: string[], slices: string[]][] = [
    ['no replica', [], [], [`${product}: IPv4 `]],
    ['one replica', [one], ['10.1.0.1:6443'], [`${product}: IPv4 10.1.0.1:6443`]],
    ['two replicas, in any order', [two, one], ['10.1.0.1,10.1.0.2:6443'], [`${product}: IPv4 10.1.0.1,10.1.0.2:6443`]],
    [
      'two replicas on one machine',
      [other, one],
      ['10.1.0.1:6443', '10.1.0.1:7443'],
      [`${product}: IPv4 10.1.0.1:6443`, `${product}-ipv4-7443: IPv4 10.1.0.1:7443`],
    ],
    [
      'replicas with two address families',
      [six, one],
      ['10.1.0.1,fd00::1:6443'],
      [`${product}: IPv4 10.1.0.1:6443`, `${product}-ipv6-6443: IPv6 fd00::1:6443`],
    ],
  ];
  for (const [what, replicas, subsets, slices] of rows) {
    it(what, () => {
      const endpoints = apiEndpoints(replicas, naming).subsets ?? [];
      assert.deepEqual(
        endpoints.map(({ addresses, ports }) => `${addresses!.map(({ ip }) => ip).join()}:${ports![0]!.port}`),
        subsets,
      );
      const written = [...apiSlices(replicas, naming)].map(([name, { addressType, endpoints: list, ports }]) => {
        const addresses = (list ?? []).map((endpoint) => endpoint.addresses![0]).join();
        return `${name}: ${addressType} ${addresses}${(ports ?? []).map(({ port }) => `:${port}`).join()}`;
      });
      assert.deepEqual(written, slices);
      for (const name of [...apiSlices(replicas, naming).keys()].slice(1)) assert.match(name, sliceNames(product));
    });
  }
});
