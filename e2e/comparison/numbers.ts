import type { Comparison } from './comparison.ts';

/** An object that accepts any data. It contains integers that a double would round. */
const revision = (name: string, big: string, extra = '') => `apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: ${name}}
revision: ${big}
data: {big: ${big}, less: 9007199254740992, list: [9007199254740993], low: -9007199254740993${extra}}
`;
const a = revision('a', '9007199254740993');
const both = `${a}---\n${revision('b', '9007199254740992')}`;
const asJson = JSON.stringify({ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'a' } }).replace(
  /}$/,
  ',"revision":9007199254740993,"data":{"big":9007199254740993}}',
);
const shown = 'get controllerrevision a -o jsonpath={.revision},{.data}';

/** Lines about integers that a double cannot represent. */
export const numberLines: readonly Comparison[] = [
  ...['create', 'apply', 'apply --server-side'].map((line) => ({
    ...{ line: `${line} -f -`, input: a, before: [] },
    after: shown,
  })),
  { line: 'apply -f -', input: asJson, before: [], after: shown },
  ...['apply', 'replace', 'apply --server-side --force-conflicts'].flatMap((line) =>
    [a, revision('a', '9007199254740995', ', new: 0x20000000000001')].map((input) => ({
      ...{ line: `${line} -f -`, input: input.replace('revision: 9007199254740993', 'revision: 9007199254740994') },
      ...{ before: ['apply -f -'], given: a, after: shown },
    })),
  ),
  ...[
    'get controllerrevision',
    'get controllerrevision a -o yaml',
    'get controllerrevision a -o json',
    'get controllerrevision --sort-by=.data.big -o name',
    'get controllerrevision --sort-by=.revision',
    'get controllerrevision -o custom-columns=A:.revision,B:.data.list,C:.data.low',
    "get controllerrevision -o jsonpath='{.items[?(@.data.big>9007199254740992)].metadata.name}'",
    "get controllerrevision -o jsonpath='{.items[?(@.data.big==9007199254740993)].metadata.name}'",
    "get controllerrevision a -o jsonpath='{9007199254740993} {.data.big} {.data.list}'",
    'get controllerrevision a -o go-template=\'{{.revision}} {{printf "%d %v %T %x %s" .data.big .data.big .data.big .data.big .data.big}}\'',
    "get controllerrevision a -o go-template='{{eq .data.big .data.less}} {{lt .data.less .data.big}} {{eq .data.big 9007199254740993}}'",
    "get controllerrevision a -o go-template='{{index .data.list 0}} {{range .data.list}}{{.}}{{end}} {{if .data.low}}{{.data.low}}{{end}}'",
    'describe controllerrevision a',
    "patch controllerrevision a --type=merge -p '{revision: 9007199254740997}' -o yaml",
    'label controllerrevision a x=y -o yaml',
  ].map((line) => ({ line, before: ['apply -f -'], given: both })),
  {
    line: 'diff -f -',
    ...{
      input: a.replace('revision: 9007199254740993', 'revision: 9007199254740995'),
      before: ['apply -f -'],
      given: a,
    },
    meant: 'the other program shows 9007199254740996',
  },
  {
    line: `run p --image=x --dry-run=client -o yaml --overrides='{"spec":{"activeDeadlineSeconds":9007199254740993}}'`,
  },
  { line: 'kustomize FOLDER', files: { 'kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: x-\n', 'a.yaml': a } },
];
