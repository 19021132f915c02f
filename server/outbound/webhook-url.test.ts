import assert from 'node:assert/strict';
import { webhookUrl } from './webhook-url.ts';

describe('the address of a webhook', () => {
  for (const [text, base, expected] of [
    ['https://127.0.0.1:9443//validate', undefined, 'https://127.0.0.1:9443/validate'],
    ['https://h/a//b/', undefined, 'https://h/a/b'],
    ['https://h', undefined, 'https://h/'],
    ['https://h/a', undefined, 'https://h/a'],
    ['a/b', 'https://h:1', 'https://h:1/a/b'],
    ['//a/b', 'https://h', 'https://h/a/b'],
    ['/', 'https://h', 'https://h/'],
  ] as const)
    it(`of ${text}`, () => assert.equal(webhookUrl(text, base).href, expected));

  it('is a URL', () => assert.throws(() => webhookUrl('validate'), TypeError));
});
