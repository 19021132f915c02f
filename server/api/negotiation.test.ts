import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { mediaType, negotiate } from './negotiation.ts';

describe('the format that negotiate() chooses for an Accept header', () => {
  const naming = createNaming('orch');
  const offer = { transforms: true, watchable: true };
  const meta = naming.group('meta');
  // An Accept header, and its result: the format, or the text of the refusal.
  const rows: [accept: string, form: string][] = [
    ['application/json', 'json'],
    ['application/json;stream=watch', 'json'],
    ['application/json;stream=other', 'only the following media types are accepted'],
    ['application/json;stream=other, application/yaml', 'yaml'],
    [`application/json;as=Table;g=${meta};v=v1`, 'json Table'],
    [`application/json;as=Nosuch;g=${meta};v=v1`, 'only the following media types are accepted'],
    ['text/plain', '406: Not Acceptable'],
  ];
  for (const [accept, form] of rows) {
    it(`${accept}: ${form}`, () => {
      let outcome: string;
      try {
        const { format, as } = negotiate(accept, new URLSearchParams(), undefined, naming, offer);
        outcome = [format, as].filter((part) => part !== undefined).join(' ');
      } catch (error) {
        outcome = (error as Error).message.slice(0, form.length);
      }
      assert.equal(outcome, form);
    });
  }
});

describe('mediaType of a Content-Type header', () => {
  const table: readonly [header: string | undefined, type: string][] = [
    [undefined, ''],
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['application/json;', 'application/json'],
    ['application/json ; a="b;c\\"" ; d=e', 'application/json'],
    // With malformed parameters it is an unknown media type.
    ['application/json; charset="x', 'application/json; charset="x'],
    ['application/json; charset', 'application/json; charset'],
    ['application/json; a=b c', 'application/json; a=b c'],
  ];
  for (const [header, type] of table) it(`${header} is ${type}`, () => assert.equal(mediaType(header), type));
});
