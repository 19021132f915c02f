import assert from 'node:assert/strict';
import type { Pod } from '#schema/generated/core.v1.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import { resourceText, singleRules } from './access/rules.ts';
import { labelOf } from './generic.ts';
import { endpointsText } from './network/endpoints-text.ts';
import { amountsOf, shareText } from './node/resources.ts';
import { probeText } from './pod/probe.ts';
import { accessModesText } from './storage/access-modes.ts';
import { DescriptionWriter } from './writer.ts';

describe('parts of describe', () => {
  for (const [name, label] of [
    ['creationTimestamp', 'Creation Timestamp'],
    ['apiVersion', 'API Version'],
    ['HTTPServer', 'HTTP Server'],
    ['podIPs', 'Pod I Ps'],
    ['dashed-key', 'Dashed - Key'],
    ['openAPIV3Schema', 'openAPIV3Schema'],
    ['with space', 'with space'],
  ] as const)
    it(`the field ${name} is called ${label}`, () => assert.equal(labelOf(name), label));

  const written: readonly [what: string, write: (writer: DescriptionWriter) => void, lines: readonly string[]][] = [
    [
      'values are aligned',
      (writer) => {
        writer.fields(0, { A: 1, Longer: 'x' });
        writer.optional(0, 'Gone', '');
        writer.labels(0, 'Labels', { b: 'c', a: '' });
      },
      ['A:       1', 'Longer:  x', 'Labels:  a=', '         b=c'],
    ],
    ['an empty map is <none>', (writer) => writer.labels(1, 'Labels', undefined), ['  Labels:  <none>']],
    [
      'long annotations start on the next line, and hidden annotations are left out',
      (writer) => writer.annotations(0, { long: 'x'.repeat(150), lines: 'a\nb\n', hidden: 'x', short: 'y' }),
      ['Annotations:  lines:', '                a', '                b', '              long:'].concat(
        `                ${'x'.repeat(138)}...`,
        '              short: y',
      ),
    ],
    ['control characters are escaped', (writer) => writer.line(0, '\u001b[31mred\r'), ['^[[31mred\\r']],
    [
      'table headers are underlined with dashes',
      (writer) => writer.table(1, ['Type', 'Status'], [['Ready', 'True']]),
      ['  Type   Status', '  ----   ------', '  Ready  True'],
    ],
  ];
  for (const [what, write, lines] of written)
    it(what, () => {
      const writer = new DescriptionWriter(['hidden']);
      write(writer);
      assert.deepEqual(writer.text().split('\n'), [...lines, '']);
    });

  for (const [probe, text] of [
    [{ exec: { command: ['a', 'b'] } }, 'exec [a b]'],
    [{ httpGet: { port: 'web', path: 'a b?c', scheme: 'HTTP' } }, 'http-get http://:web/a%20b%3Fc'],
    [{ httpGet: { port: 1, host: '::1', scheme: 'HTTPS' } }, 'http-get https://[::1]:1'],
    [{ tcpSocket: { port: 1, host: 'h' } }, 'tcp-socket h:1'],
    [{ grpc: { port: 1, service: 's' } }, 'grpc <pod>:1 s'],
    [{}, 'unknown'],
  ] as const)
    it(`a probe is ${text}`, () => {
      const often = { initialDelaySeconds: 1, timeoutSeconds: 2, periodSeconds: 3 };
      const shown = probeText({ ...probe, ...often } as Parameters<typeof probeText>[0]);
      assert.equal(shown, `${text} delay=1s timeout=2s period=3s #success=0 #failure=0`);
    });

  it('rules for the same resource are merged', () => {
    const rules = singleRules([
      { verbs: ['watch'], apiGroups: ['apps'], resources: ['deployments/scale', 'deployments'] },
      { verbs: ['get', 'watch'], apiGroups: ['apps'], resources: ['deployments'] },
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a', 'b'] },
      { verbs: ['get'], nonResourceURLs: ['/x'] },
    ]);
    assert.deepEqual(
      rules.map((rule) => [resourceText(rule), rule.paths, rule.names, rule.verbs]),
      [
        ['', ['/x'], [], ['get']],
        ['pods', [], ['a'], ['get']],
        ['pods', [], ['b'], ['get']],
        ['deployments.apps', [], [], ['watch', 'get']],
        ['deployments.apps/scale', [], [], ['watch']],
      ],
    );
  });

  const slice = (...ready: (boolean | undefined)[]) => ({
    metadata: {},
    addressType: 'IPv4',
    ports: [{ name: 'web', port: 80 }],
    endpoints: ready.map((is, at) => ({
      addresses: [`10.0.0.${at}`],
      ...(is === undefined ? {} : { conditions: { ready: is } }),
    })),
  });
  for (const [slices, port, text] of [
    [[], 'web', '<none>'],
    [[slice(true, false, undefined)], 'web', '10.0.0.0:80,10.0.0.2:80'],
    [[slice(true)], 'other', ''],
    [[slice(true, true), slice(true, true, true)], 'web', '10.0.0.0:80,10.0.0.1:80,10.0.0.0:80 + 2 more...'],
  ] as const)
    it(`endpoints of ${slices.length} slices are ${JSON.stringify(text)}`, () =>
      assert.equal(endpointsText(slices, port), text));

  it('the requests of a pod are the sum of its containers, or the largest init container if that is more', () => {
    const resources = (cpu: string, memory: string) => ({ name: 'c', resources: { requests: { cpu, memory } } });
    const spec = {
      containers: [resources('100m', '1Gi'), resources('1', '1Gi')],
      initContainers: [resources('2', '1Mi')],
    };
    const amounts = amountsOf({ metadata: {}, spec } as Pod, 'requests');
    assert.deepEqual(
      [...amounts].map(([name, amount]) => `${name} ${amount}`),
      ['cpu 2', 'memory 2Gi'],
    );
    assert.equal(shareText('cpu', amounts.get('cpu'), parseQuantity('3')), '2 (66%)');
    assert.equal(shareText('memory', undefined, undefined), '0 (0%)');
  });

  it('access modes are abbreviated, unique and sorted', () =>
    assert.equal(accessModesText(['ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOnce']), 'RWO,RWX'));
});
