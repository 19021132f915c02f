import assert from 'node:assert/strict';
import { createNaming } from '../naming/create-naming.ts';
import { negotiate } from './negotiation.ts';

describe('the form of an answer', () => {
  const naming = createNaming('orch');
  const offer = { transforms: true, watchable: true };
  const meta = naming.group('meta');
  // an Accept header, and the form that it gets: its format, or what the refusal says
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
