import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type VendorWords, vendorWordProblems } from './vendor-words.ts';

const file = new URL('../lint/vendor-words.json', import.meta.url);
const words = JSON.parse(readFileSync(file, 'utf8')) as VendorWords;

const product = "'kubernetes': ask base/naming for it";
const connection = "'kubeconfig': write 'connection file'";

describe('vendorWordProblems', () => {
  const cases: readonly (readonly [what: string, file: string, text: string, problems: readonly string[]])[] = [
    ['plain words', 'cli/a.ts', '// The field’s client.\nconst a = 1;', []],
    ['a label in code', 'cli/a.ts', "\nconst label = 'kubernetes.io/x';", [`cli/a.ts:2: ${product}`]],
    ['a namespace', 'cli/a.ts', "const a = 'kube-system';", ["cli/a.ts:1: 'kube-': ask base/naming for it"]],
    ['a name of a description', 'proto/a.proto', '// kubernetes', [`proto/a.proto:1: ${product}`]],
    ['the words of profiles', 'base/naming/kubernetes.ts', "domain: 'kubernetes.io'", []],
    ['the name of the profile', 'cli/a.ts', "const naming = createNaming('kubernetes');", []],
    ['the name of a flag', 'cli/a.ts', "flags.get('kubeconfig');", []],
    ['the name of a field', 'cli/a.ts', 'status.nodeInfo.kubeletVersion', []],
    ['a flag in a comment', 'cli/a.ts', '// the file of `--kubeconfig` and of --kubeconfig', []],
    ['a comment', 'cli/a.ts', '/**\n * The kubeconfig of it.\n */', [`cli/a.ts:2: ${connection}`]],
    ['a help text', 'cli/a.ts', "short: 'Modify kubeconfig files'", [`cli/a.ts:1: ${connection}`]],
    ['a text that clients know', 'server/kinds/core/service/validate.ts', "'since it is used by kubelet'", []],
    [
      'the same text elsewhere',
      'cli/a.ts',
      "'it is used by kubelet'",
      ["cli/a.ts:1: 'kubelet': write 'agent of the node'"],
    ],
    ['a test', 'cli/a.test.ts', "it('reads a kubeconfig of kubectl')", []],
    ['a document', 'docs/a.md', 'Its kubeconfig', [`docs/a.md:1: ${connection}`]],
    ['code of a document', 'docs/a.md', '```\nkubectl get pods\n```\nas `kubectl` does', []],
    ['the client in a document', 'docs/a.md', '\nTry kubectl', ["docs/a.md:2: 'kubectl': a word of the vendor"]],
  ];
  for (const [what, name, text, problems] of cases) {
    it(`${problems.length === 0 ? 'accepts' : 'finds'} ${what}`, () => {
      assert.deepEqual(vendorWordProblems(name, text, words), problems);
    });
  }
});
