import assert from 'node:assert/strict';
import { httpFailure } from './call-error.ts';

describe('httpFailure: the message for an HTTP error of a webhook', () => {
  const table: [code: number, body: string, said: string][] = [
    [400, 'x', 'the server rejected our request for an unknown reason'],
    [403, ' not you\n', 'not you'],
    [403, '', 'unknown'],
    [409, 'x', 'the server reported a conflict'],
    [415, 'no XML', 'no XML'],
    [415, '', 'the server was unable to respond with a content type that the client supports'],
    [418, 'x', 'the server responded with the status code 418 but did not return more information'],
    [502, 'x', 'an error on the server ("x") has prevented the request from succeeding'],
    [503, 'x', 'the server is currently unable to handle the request'],
  ];
  for (const [code, body, said] of table) {
    it(`${code} ${JSON.stringify(body)}`, () => assert.equal(httpFailure(code, Buffer.from(body)), said));
  }
});
