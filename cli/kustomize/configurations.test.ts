import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findYardstick, runYardstick } from '#e2e/comparison/compare.ts';
import { runLine } from '../testing/run-line.ts';

const objects = `apiVersion: x.y/v1
kind: Foo
metadata: {name: foo}
spec: {ref: {name: conf}, called: conf, list: [conf, other], labels: {a: b}, count: 1, image: "nginx:1", text: $(W)}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: conf}}
`;

/** Definitions of the type above, whose `spec` has these properties. */
const definitions = (properties: object): string =>
  JSON.stringify({
    'x.y.v1.Foo': {
      Schema: { properties: { apiVersion: {}, kind: {}, metadata: {}, spec: { $ref: 'x.y.v1.FooSpec' } } },
    },
    'x.y.v1.FooSpec': { Schema: { properties } },
  });

/** The kustomization, the content of `c.yaml` in the same folder, and the expected object. */
const configured: readonly [what: string, fields: string, file: string, expected: object][] = [
  [
    'references to names',
    'configurations: [c.yaml]\nnamePrefix: p-\n',
    'nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/ref, kind: Foo}, {path: spec/list, group: x.y}, {path: spec/called, kind: Bar}]}]',
    { ref: { name: 'p-conf' }, list: ['p-conf', 'other'], called: 'conf' },
  ],
  [
    'selectors',
    'configurations: [c.yaml]\nlabels: [{pairs: {l: m}, includeSelectors: true}]\n',
    'commonLabels: [{path: spec/labels, kind: Foo}, {path: spec/made/labels, kind: Foo, create: true}, {path: spec/none/labels, kind: Foo}]',
    { labels: { a: 'b', l: 'm' }, made: { labels: { l: 'm' } }, none: undefined },
  ],
  [
    'labels, but not selectors',
    'configurations: [c.yaml]\nlabels: [{pairs: {l: m}}]\n',
    'labels: [{path: spec/own, kind: Foo, create: true}]\ncommonLabels: [{path: spec/labels, kind: Foo}]',
    { own: { l: 'm' }, labels: { a: 'b' } },
  ],
  [
    'images and replicas',
    'configurations: [c.yaml]\nimages: [{name: nginx, newTag: "2"}]\nreplicas: [{name: foo, count: 5}]\n',
    'images: [{path: spec/image, kind: Foo}]\nreplicas: [{path: spec/count, kind: Foo}]',
    { image: 'nginx:2', count: 5 },
  ],
  [
    'namespaces, prefixes and suffixes',
    'configurations: [c.yaml]\nnamespace: place\nnamePrefix: p-\nnameSuffix: -s\n',
    'namespace: [{path: spec/place, kind: Foo, create: true}]\nnamePrefix: [{path: spec/called, kind: Foo}]\nnameSuffix: [{path: spec/text, kind: Foo}]',
    { place: 'place', called: 'p-conf', text: '$(W)-s' },
  ],
  [
    'variables',
    'configurations: [c.yaml]\nnamePrefix: p-\nvars: [{name: W, objref: {kind: ConfigMap, name: conf, apiVersion: v1}}]\n',
    'varReference: [{path: spec/text, kind: Foo}]',
    { text: 'p-conf' },
  ],
  [
    'types marked in OpenAPI definitions',
    'crds: [c.yaml]\nnamePrefix: p-\ncommonLabels: {l: m}\ncommonAnnotations: {k: o}\n',
    definitions({
      labels: { 'x-kubernetes-label-selector': '' },
      count: { 'x-kubernetes-label-selector': true },
      called: { 'x-kubernetes-identity': '' },
      ref: { 'x-kubernetes-object-ref-api-version': 'v1', 'x-kubernetes-object-ref-kind': 'ConfigMap' },
    }),
    { labels: { a: 'b', l: 'm' }, called: 'p-conf', ref: { name: 'p-conf' }, count: 1 },
  ],
];

const mistakes: readonly [fields: string, file: string, told: RegExp][] = [
  ['configurations: [none.yaml]', '', /no such file or directory/],
  ['configurations: [../over]', '', /must resolve to a file/],
  ['configurations: [c.yaml]', 'foo: []', /unknown field "foo"/],
  ['configurations: [c.yaml]', 'replicas: [{foo: a}]', /unknown field "foo"/],
  ['configurations: [c.yaml]', 'replicas: a', /replicas is not a list/],
  ['configurations: [c.yaml]', '[a]', /is not an object/],
  [
    'configurations: [c.yaml]',
    'images: [{path: "spec/containers[]/image"}]',
    /failed to merge Images fieldSpec: conflicting fieldspecs/,
  ],
  [
    'configurations: [c.yaml]',
    'nameReference: [{kind: ConfigMap, version: v1, fieldSpecs: [{path: rules/resourceNames, kind: Role, create: true}]}]',
    /failed to merge NameReference fieldSpec: conflicting fieldspecs/,
  ],
  [
    'configurations: [c.yaml]\ncommonLabels: {a: b}',
    'commonLabels: [{path: spec/text/labels, create: true, kind: Foo}]',
    /considering field 'spec\/text\/labels' of object Foo\.v1\.x\.y\/foo\.\[noNs\]: expected sequence or mapping node/,
  ],
  [
    'configurations: [c.yaml]\nnamePrefix: p-',
    'nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/labels, kind: Foo}]}]',
    /no 'name' field in node/,
  ],
  [
    'labels: [{pairs: {l: m}, fields: [{path: metadata/labels}]}]',
    '',
    /failed to merge labels: conflicting fieldspecs/,
  ],
  ['crds: [none.yaml]', '', /loading CRDs \[none\.yaml\]: evalsymlink failure/],
  ['crds: [c.yaml]', '[a]', /unable to parse open API definition from 'c\.yaml'/],
  [
    'crds: [c.yaml]',
    definitions({ again: { $ref: 'x.y.v1.FooSpec' }, more: { $ref: 'x.y.v1.FooSpec' } }),
    /x\.y\.v1\.Foo/,
  ],
];

describe('custom field configurations of a kustomization', () => {
  let folder: string;
  beforeEach(() => {
    folder = path.join(mkdtempSync(path.join(tmpdir(), 'orchctl-fields-')), 'over');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'foo.yaml'), objects);
  });
  afterEach(() => rmSync(path.dirname(folder), { recursive: true }));
  const write = (fields: string, file: string) => {
    writeFileSync(path.join(folder, 'kustomization.yaml'), `resources: [foo.yaml]\n${fields}\n`);
    writeFileSync(path.join(folder, 'c.yaml'), file);
  };

  const yardstick = findYardstick();
  for (const [what, fields, file, expected] of configured) {
    it(`apply to: ${what}`, async () => {
      write(fields, file);
      const { stdout, stderr } = await runLine(['kustomize', folder]);
      const { spec } = parseAllDocuments(stdout)
        .map((document) => document.toJS())
        .find(({ kind }) => kind === 'Foo') ?? { spec: stderr };
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, spec[name]])), expected);
    });

    it(`build the same as the upstream client: ${what}`, async function () {
      if (yardstick === undefined) return this.skip();
      write(fields, file);
      const theirs = await runYardstick(yardstick, ['kustomize', folder], '/nonexistent');
      assert.equal(theirs.code, 0, theirs.stderr);
      assert.equal((await runLine(['kustomize', folder])).stdout, theirs.stdout);
    });
  }

  for (const [fields, file, told] of mistakes)
    it(`refuses ${fields} with ${JSON.stringify(file).slice(0, 60)}`, async () => {
      write(fields, file);
      const { stderr, code } = await runLine(['kustomize', folder]);
      assert.match(stderr, told);
      assert.equal(code, 1);
    });
});
