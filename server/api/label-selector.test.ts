import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import { parseLabelSelector } from './label-selector.ts';

const LONG = 'v'.repeat(64);

/** Selectors, and the start of their refusals; undefined for valid selectors. */
const ROWS: [selector: string, refusal: string | undefined][] = [
  ['a=b,c in (d,e),!f,g', undefined],
  ['a in ()', undefined],
  ['example.com/a=b', undefined],
  ['/a=b', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  [
    'a/=b',
    'unable to parse requirement: <nil>: Invalid value: "a/": name part must be non-empty; name part must consist',
  ],
  [
    'A.io/a=b',
    'unable to parse requirement: <nil>: Invalid value: "A.io/a": prefix part a lowercase RFC 1123 subdomain',
  ],
  ['a/b/c=d', 'unable to parse requirement: <nil>: Invalid value: "a/b/c": a qualified name must consist of'],
  [
    `${LONG}=a`,
    `unable to parse requirement: <nil>: Invalid value: "${LONG}": name part must be no more than 63 characters`,
  ],
  [
    `a=${LONG}`,
    `unable to parse requirement: values[0][a]: Invalid value: "${LONG}": must be no more than 63 characters`,
  ],
  ['a=-', 'unable to parse requirement: values[0][a]: Invalid value: "-": a valid label must be'],
  ['a in (c,-b)', 'unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be'],
  ['a in (c,d-)', 'unable to parse requirement: values[1][a]: Invalid value: "d-": a valid label must be'],
  ['a in (-,_)', 'unable to parse requirement: [values[0][a]: Invalid value: "-": a valid label must be'],
  ['a>b', "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin"],
  ['a,', "found '', expected: identifier after ','"],
];

describe('parseLabelSelector', () => {
  for (const [selector, refusal] of ROWS)
    it(`${selector}: ${refusal ?? 'is valid'}`, () => {
      if (refusal === undefined) parseLabelSelector(selector);
      else
        assert.throws(
          () => parseLabelSelector(selector),
          (error: unknown) => error instanceof StatusError && error.code === 400 && error.message.startsWith(refusal),
        );
    });
});
