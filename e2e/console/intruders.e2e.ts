import assert from 'node:assert/strict';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ConsoleStage } from './console-stage.ts';

/** Attacks on an open console by a process of this machine or by a page of another site. */
describe('what is not the page of the console', function () {
  this.timeout(120_000);
  const stage = new ConsoleStage();
  let site: Server;
  let foreign: string;
  let markup = '';

  before(async () => {
    await stage.start('orch');
    site = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(markup));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    foreign = `http://localhost:${(site.address() as AddressInfo).port}/`;
  });
  after(async () => {
    site?.close();
    await stage.end();
  });

  /** Opens the page of a console. The browser then has its cookie. */
  async function opened() {
    const url = await stage.console('--write');
    const page = await stage.page(url);
    await page.getByRole('navigation').waitFor();
    return { page, url, origin: new URL(url).origin };
  }

  const status = (url: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      request(url, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .once('error', reject)
        .end();
    });

  it('has no cookie, and gets nothing but the page', async () => {
    const { origin } = await opened();
    assert.equal(await status(`${origin}/`), 200);
    for (const path of ['catalog', 'stream', 'object?kind=secrets.v1.&namespace=default&name=a'])
      assert.equal(await status(`${origin}/api/${path}`), 401, path);
  });

  it('has a stolen address that was opened, or one without its secret', async () => {
    const { url } = await opened();
    const late = await stage.page(url);
    await late.getByText('was opened before').waitFor();
    const page = await stage.page(url.split('#')[0]!);
    await page.getByText('Open the address that the console printed').waitFor();
  });

  it('has a host name that leads to this machine', async () => {
    const { origin } = await opened();
    assert.equal(await status(`${origin}/`, { host: `rebound.example:${new URL(origin).port}` }), 421);
  });

  it('is a page of another site: it cannot read, send a form, embed or follow a stream', async () => {
    const { page, origin } = await opened();
    markup = '<!doctype html><title>foreign</title>';
    const other = await page.context().newPage();
    await other.goto(foreign);
    const read = await other.evaluate(
      (target) =>
        fetch(`${target}/api/catalog`, { credentials: 'include' }).then(
          () => 'read',
          () => 'refused',
        ),
      origin,
    );
    assert.equal(read, 'refused');
    const followed = await other.evaluate(
      (target) =>
        new Promise((resolve) => {
          const source = new EventSource(`${target}/api/stream`, { withCredentials: true });
          source.addEventListener('tab', () => resolve('read'));
          source.addEventListener('error', () => resolve('refused'));
        }),
      origin,
    );
    assert.equal(followed, 'refused');
    const answer = other.waitForResponse((response) => response.url().startsWith(origin));
    await other.setContent(
      `<form method="post" enctype="text/plain" action="${origin}/api/delete"><input name='{"a":"' value='"}'></form>`,
    );
    await other.evaluate("document.querySelector('form').submit()");
    assert.equal((await answer).status(), 403);
    const framing = await page.context().newPage();
    await framing.goto(foreign);
    await framing.setContent(`<iframe src="${origin}/"></iframe>`);
    const frame = await (await framing.waitForSelector('iframe')).contentFrame();
    assert.doesNotMatch((await frame?.textContent('body').catch(() => '')) ?? '', /kinds|Namespace/i);
  });

  it('asks for a web socket', async () => {
    const { origin } = await opened();
    const { port, host } = new URL(origin);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`GET /api/stream HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`),
      );
      let text = '';
      socket.on('data', (data) => {
        text += data;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', () => {});
    });
    assert.equal(answer, '');
  });
});
