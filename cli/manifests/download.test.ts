import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { download } from './download.ts';

describe('manifests from URLs', () => {
  let server: Server;
  let root: string;
  before(async () => {
    server = createServer(({ url = '' }, response) => {
      const [, what = '', count = '0'] = url.split('/');
      if (what === 'text') response.end('a: b');
      else if (what === 'again')
        response.writeHead(302, { location: count === '0' ? '/text' : `/again/${+count - 1}` }).end();
      else if (what === 'away') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
      else if (what === 'cut') {
        response.writeHead(200, { 'content-length': '10' });
        response.write('a', () => response.destroy());
      } else response.writeHead(404).end('nothing');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());
  const read = (path: string, longest = 100) => download(root + path, longest, new AbortController().signal);

  for (const path of ['/text', '/again/0', '/again/9'])
    it(`reads ${path}`, async () => assert.equal(await read(path), 'a: b'));

  for (const [path, message] of [
    ['/nope', /server reported 404 Not Found, status code=404$/],
    ['/again/10', /stopped after 10 redirects$/],
    ['/away', /unsupported protocol scheme "file"$/],
    ['/cut', /unexpected EOF$/],
  ] as const)
    it(`refuses ${path}`, () => assert.rejects(read(path), message));

  it('refuses a document that is too large', () => assert.rejects(read('/text', 3), /too large/));
});
