import assert from 'node:assert/strict';
import { yamlLanguage } from '@codemirror/lang-yaml';
import { markOf, placeOfCursor } from './yaml-path.ts';

const TEXT = `metadata:
  annotations:
    example.com/a.b: x
    example: y
  labels: {app: web}
spec:
  ports:
  - port: 80
    protocol: TCP
  - port: 80
    protocol: UDP
    name: "dns"
  args:
  - one
  - two
  template:
    deep: 1
`;

const marks: readonly [field: string, line: string, isWhole: boolean][] = [
  ['spec.ports[1].name', 'name', true],
  ['.spec.ports[port=80,protocol="UDP"].name', 'name', true],
  ['.spec.ports[port=80,protocol="UDP"]', 'port: 80', true],
  ['spec.args[1]', 'two', true],
  ['.spec.args[="two"]', 'two', true],
  ['metadata.annotations[example.com/a.b]', 'example.com/a.b', true],
  ['.metadata.annotations.example.com/a.b', 'example.com/a.b', true],
  ['.metadata.annotations.example', 'example', true],
  ['metadata.labels.app', 'app', true],
  ['spec.template.deep.deeper', 'deep', false],
  ['spec.template.none', 'template', false],
  ['spec.ports[7].name', 'ports', false],
  ['spec.ports["', 'ports', false],
];

const cursors: readonly [text: string, path: string, at: string][] = [
  ['spec:\n  ports|: 1', 'spec.ports', 'key'],
  ['spec:\n  ports: 1|', 'spec.ports', 'value'],
  ['spec:\n  ports:\n  - name: a|', 'spec.ports.0.name', 'value'],
  ['spec:\n  ports:\n  - name: a\n    po|', 'spec.ports.0.po', 'key'],
  ['spec:\n  ports:\n  - name: a\n  - name: b\n    |', 'spec.ports.1', 'new key'],
  ['spec:\n  a: 1\n  |', 'spec', 'new key'],
  ['spec:\n  a: 1\n|', '', 'new key'],
  ['spec:\n  a:\n    |', 'spec.a', 'new key'],
  ['spec:\n  a:\n    |\nother: 1', 'spec.a', 'new key'],
  ['|', '', 'new key'],
];

describe('positions in a YAML text', () => {
  for (const [field, expected, isWhole] of marks)
    it(field, () => {
      const mark = markOf(yamlLanguage.parser.parse(TEXT), TEXT, field)!;
      assert.deepEqual([TEXT.slice(mark.from, mark.to), mark.isWhole], [expected, isWhole]);
    });

  it('markOf returns nothing for a missing field', () =>
    assert.equal(markOf(yamlLanguage.parser.parse(TEXT), TEXT, 'status.phase'), undefined));

  for (const [marked, path, at] of cursors)
    it(JSON.stringify(marked), () => {
      const position = marked.indexOf('|');
      const text = marked.replace('|', '');
      const place = placeOfCursor(yamlLanguage.parser.parse(text), text, position);
      assert.deepEqual([place.path.join('.'), place.at], [path, at]);
    });
});
