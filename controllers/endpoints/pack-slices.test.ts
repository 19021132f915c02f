import assert from 'node:assert/strict';
import type { Endpoint, EndpointSlice } from '#schema/generated/discovery.v1.ts';
import { packSlices } from './pack-slices.ts';

/** Slices and groups as texts: `80: a b`. An endpoint that is not ready ends in `!`. */
const endpointOf = (text: string): Endpoint => ({
  addresses: [text.replace('!', '')],
  conditions: { ready: !text.endsWith('!') },
});
const textOf = ({ addresses, conditions }: Endpoint) => `${addresses![0]}${conditions!.ready ? '' : '!'}`;
const contentOf = (text: string) => {
  const [port = '', names = ''] = text.split(':');
  return {
    ports: port === '' ? [] : [{ name: '', port: Number(port), protocol: 'TCP' }],
    endpoints: names
      .split(' ')
      .filter((name) => name !== '')
      .map(endpointOf),
  };
};
const asText = ({
  ports,
  endpoints,
}: Pick<ReturnType<typeof contentOf>, 'endpoints'> & { ports: readonly unknown[] }) =>
  `${(ports[0] as { port: number } | undefined)?.port ?? ''}: ${endpoints.map(textOf).join(' ')}`.trim();

describe('packSlices', () => {
  const cases: [about: string, existing: string[], wanted: string[], result: string[]][] = [
    ['creates one empty slice for no endpoints', [], [], ['create :']],
    ['keeps the empty slice', [':'], [], []],
    ['fills the empty slice', [':'], ['80: a'], ['update 0 80: a']],
    ['empties the last slice instead of removing it', ['80: a'], [], ['update 0 :']],
    ['empties one slice and removes the others', ['80: a', '80: b'], [], ['update 0 :', 'remove 1']],
    ['splits endpoints that do not fit into one slice', [], ['80: a b c d e'], ['create 80: a b c', 'create 80: d e']],
    ['creates a slice for each set of ports', [], ['80: a', '81: b'], ['create 80: a', 'create 81: b']],
    ['changes nothing if only the order differs', ['80: a b'], ['80: b a'], []],
    ['updates only the slice of an endpoint that changed', ['80: a b', '80: c'], ['80: a b c!'], ['update 1 80: c!']],
    [
      'removes an endpoint and keeps the others in their slices',
      ['80: a b c', '80: d'],
      ['80: a b d'],
      ['update 0 80: a b'],
    ],
    ['fills up a slice that changes anyway first', ['80: a b', '80: c'], ['80: a! b c d'], ['update 0 80: a! b d']],
    [
      'fills up the fullest slice that has space for all new endpoints',
      ['80: a', '80: b c'],
      ['80: a b c d'],
      ['update 1 80: b c d'],
    ],
    [
      'creates a new slice if no slice has enough space',
      ['80: a b', '80: c d'],
      ['80: a b c d e f'],
      ['create 80: e f'],
    ],
    ['reuses a slice that is now empty', ['80: a b c', '80: d'], ['80: a b c', '81: e'], ['update 1 81: e']],
    [
      'splits a slice with too many endpoints',
      ['80: a b c d'],
      ['80: a b c d'],
      ['update 0 80: a b c', 'create 80: d'],
    ],
  ];
  for (const [about, before, wanted, result] of cases)
    it(about, () => {
      const existing = before.map((text) => contentOf(text) as unknown as EndpointSlice);
      const { create, update, remove } = packSlices(existing, wanted.map(contentOf), 3, () => true);
      assert.deepEqual(
        [
          ...update.map(({ slice, content }) => `update ${existing.indexOf(slice)} ${asText(content as never)}`),
          ...create.map((content) => `create ${asText(content as never)}`),
          ...remove.map((slice) => `remove ${existing.indexOf(slice)}`),
        ],
        result,
      );
    });

  it('rewrites slices that are wrong in other fields', () => {
    const slice = contentOf('80: a') as unknown as EndpointSlice;
    const { update } = packSlices([slice], [contentOf('80: a')], 3, () => false);
    assert.deepEqual(
      update.map(({ content }) => asText(content as never)),
      ['80: a'],
    );
  });
});
