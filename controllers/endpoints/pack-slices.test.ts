import assert from 'node:assert/strict';
import type { Endpoint, EndpointSlice } from '#schema/generated/discovery.v1.ts';
import { packSlices } from './pack-slices.ts';

/** Slices and groups as texts: `80: a b`; an endpoint that is not ready ends in `!`. */
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

describe('packing endpoints into slices', () => {
  const cases: [about: string, existing: string[], wanted: string[], result: string[]][] = [
    ['nothing needs one empty slice', [], [], ['create :']],
    ['the empty one stays', [':'], [], []],
    ['the empty one is used when there is something', [':'], ['80: a'], ['update 0 80: a']],
    ['the last one is emptied, not removed', ['80: a'], [], ['update 0 :']],
    ['of many that are not needed one becomes the empty one', ['80: a', '80: b'], [], ['update 0 :', 'remove 1']],
    ['no more than fit into one', [], ['80: a b c d e'], ['create 80: a b c', 'create 80: d e']],
    ['a slice for each set of ports', [], ['80: a', '81: b'], ['create 80: a', 'create 81: b']],
    ['nothing changes', ['80: a b'], ['80: b a'], []],
    ['a state changes in its slice alone', ['80: a b', '80: c'], ['80: a b c!'], ['update 1 80: c!']],
    ['one goes: others stay where they are', ['80: a b c', '80: d'], ['80: a b d'], ['update 0 80: a b']],
    ['a slice that changes anyhow is filled up first', ['80: a b', '80: c'], ['80: a! b c d'], ['update 0 80: a! b d']],
    ['else the fullest that takes all', ['80: a', '80: b c'], ['80: a b c d'], ['update 1 80: b c d']],
    ['else a new one', ['80: a b', '80: c d'], ['80: a b c d e f'], ['create 80: e f']],
    ['an emptied one is used again', ['80: a b c', '80: d'], ['80: a b c', '81: e'], ['update 1 81: e']],
    ['one with too many is cut', ['80: a b c d'], ['80: a b c d'], ['update 0 80: a b c', 'create 80: d']],
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

  it('writes slices that are wrong in something else', () => {
    const slice = contentOf('80: a') as unknown as EndpointSlice;
    const { update } = packSlices([slice], [contentOf('80: a')], 3, () => false);
    assert.deepEqual(
      update.map(({ content }) => asText(content as never)),
      ['80: a'],
    );
  });
});
