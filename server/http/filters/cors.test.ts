import assert from 'node:assert/strict';
import { RE2JS } from 're2js';
import { type Answer, text } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { allowOrigins } from './cors.ts';

const ok = text(200, 'ok');

async function ask(method: string, origin: string | undefined): Promise<{ answer: Answer; sent: Map<string, string> }> {
  const sent = new Map<string, string>();
  const context = {
    info: { method },
    header: (name: string) => (name === 'origin' ? origin : undefined),
    raw: () => ({ response: { setHeader: (name: string, value: string) => sent.set(name, value) } }),
  } as unknown as RequestContext;
  const filter = allowOrigins(['^https://[a-z]+\\.example$', '//local'].map((pattern) => RE2JS.compile(pattern)));
  return { answer: await filter(context, async () => ok), sent };
}

describe('requests from pages of other origins', () => {
  const cases: readonly [origin: string | undefined, allowed: boolean][] = [
    ['https://console.example', true],
    ['https://console.example.evil', false],
    ['http://localhost:3000', true],
    ['null', false],
    ['', false],
    [undefined, false],
  ];
  for (const [origin, allowed] of cases) {
    it(`${allowed ? 'get' : 'do not get'} CORS headers with Origin: ${origin ?? '(none)'}`, async () => {
      const { answer, sent } = await ask('GET', origin);
      assert.equal(answer, ok);
      assert.equal(sent.get('Access-Control-Allow-Origin'), allowed ? origin : undefined);
      assert.equal(sent.get('Access-Control-Allow-Credentials'), allowed ? 'true' : undefined);
    });
  }

  it('get the allowed methods and headers in the answer to OPTIONS', async () => {
    const { answer } = await ask('OPTIONS', 'https://console.example');
    assert.deepEqual(answer, {
      kind: 'empty',
      status: 204,
      headers: {
        'Access-Control-Allow-Origin': 'https://console.example',
        'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
        'Access-Control-Allow-Headers':
          'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
        'Access-Control-Expose-Headers': 'Date',
        'Access-Control-Allow-Credentials': 'true',
      },
    });
    assert.equal((await ask('OPTIONS', 'https://other.test')).answer, ok, 'others are asked for credentials');
  });
});
