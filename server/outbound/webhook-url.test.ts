import assert from 'node:assert/strict';
import { webhookUrl } from './webhook-url.ts';

describe('webhookUrl', () => {
  for (const [text, base, expected] of [
    ['https://127.0.0.1:9443//validate', undefined, 'https://127.0.0.1:9443/validate'],
    ['https://h/a//b/', undefined, 'https://h/a/b'],
    ['https://h', undefined, 'https://h/'],
    ['https://h/a', undefined, 'https://h/a'],
    ['a/b', 'https://h:1', 'https://h:1/a/b'],
    ['//a/b', 'https://h', 'https://h/a/b'],
    ['/', 'https://h', 'https://h/'],
  ] as const)
    it(`normalizes ${text}`, () => assert.equal(webhookUrl(text, base).href, expected));

  it('refuses text that is not a URL', () => assert.throws(() => webhookUrl('validate'), TypeError));
});
