import type { Comparison } from './comparison.ts';

/**
 * Lines about JSONPath. They show which expressions are accepted, what these find, and the error messages about the
 * others.
 */
export const pathLines: readonly Comparison[] = [
  ...[
    '{["a"]}',
    '{.data["a"]}',
    "{['data']['a']}",
    "{.data['a', 'b']}",
    "{.metadata['labels,name']}",
    '{"\\q"}',
    '{"\\x4"}',
    "{'a\\qb'}",
    '{"\\u0041\\101\\x41"}',
    '{.data[*]}',
    '{.data[?(@.a)]}',
    '{.data.a.*}',
    '{.kind[0]}',
    '{.nope[0]}',
    '{..*}',
    '{...a}',
    '{.data..}',
    '{.[0]}',
    '{.data.a/x}',
    '{.data.a,x}',
    '{. kind}',
    '{1e3}',
    '{-}',
    '{1..2}',
    '{1-2}',
    '{#}',
    '{:}',
    '{$.kind}{$}',
    '{"a".kind}',
    '{.data.a"x"}',
  ].map((path) => ({ line: `get cm a -n one -o jsonpath=${quoted(path)}` })),
  ...[
    '[?(@.tolerationSeconds>"a")].key',
    '[?(@.key==1)].key',
    '[?(@.key==true)].key',
    '[?(@.tolerationSeconds==300)].key',
    '[?(@.tolerationSeconds==300.0)].key',
    '[?(@.tolerationSeconds<=300.5)].key',
    '[?(@=="a")].key',
    '[?(@.key=~"a")]',
    '[?(@.key="a")]',
    '[?(@.key==a)]',
    '[?(@.nope==a)]',
    '[?(@.key=="a"&&@.effect=="b")]',
    '[?("a"==@.key)].key',
    '[?(@.*=="Exists")].effect',
    '[?()].key',
    '[?(@.key)',
    '[?(@.key',
    '[?(@.key) ]',
    '[]',
    '[-]',
    '[ 0]',
    '[99999999999999999999]',
    '[0:2:0]',
    '[-5:]',
    '[0,1].key',
    '[0,5].key',
    '[*].tolerationSeconds',
  ].map((rest) => ({ line: `get pod p1 -n one -o jsonpath=${quoted(`{.spec.tolerations${rest}}`)}` })),
  ...[
    '{range .spec.tolerations[*]}{$.kind}{$.key}{end}',
    '{range .spec.tolerations[*]}{range @}{.key}{end}{end}',
    '{range .spec.tolerations[*]}{.key}',
    '{range .nope[*]}{.key}{end}x',
  ].map((path) => ({ line: `get pod p1 -n one -o jsonpath=${quoted(path)}` })),
];

/** A path as a word of a line. */
function quoted(path: string): string {
  return path.includes("'") ? `"${path}"` : `'${path}'`;
}
