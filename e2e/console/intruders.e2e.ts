import assert from 'node:assert/strict';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { coreV1, rbacAuthorizationV1 } from '#client/generated/resources.ts';
import { ConsoleStage } from './console-stage.ts';

/** Attacks on an open console by a process of this machine or by a page of another site. */
describe('attacks on the console', function () {
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

  it('a client without a cookie gets only the page', async () => {
    const { origin } = await opened();
    assert.equal(await status(`${origin}/`), 200);
    for (const path of ['catalog', 'stream', 'object?kind=secrets.v1.&namespace=default&name=a'])
      assert.equal(await status(`${origin}/api/${path}`), 401, path);
  });

  it('a login URL that was opened before, or without its secret, is refused', async () => {
    const { url } = await opened();
    const late = await stage.page(url);
    await late.getByText('was opened before').waitFor();
    const page = await stage.page(url.split('#')[0]!);
    await page.getByText('Open the address that the console printed').waitFor();
  });

  it('another host name for this machine is refused', async () => {
    const { origin } = await opened();
    assert.equal(await status(`${origin}/`, { host: `rebound.example:${new URL(origin).port}` }), 421);
  });

  it('a page of another site cannot read, send a form, embed, follow a stream or open a web socket', async () => {
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
    const talked = await other.evaluate(
      (target) =>
        new Promise((resolve) => {
          const socket = new WebSocket(`${target.replace('http', 'ws')}/api/stream`);
          socket.addEventListener('open', () => resolve('open'));
          socket.addEventListener('error', () => resolve('refused'));
        }),
      origin,
    );
    assert.equal(talked, 'refused');
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

  it('names, labels, events and annotations cannot inject markup or terminal control sequences', async () => {
    const { client } = stage;
    const markup = '<img src=x onerror="document.title=\'caught\'">\u001b]0;caught\u0007\u001b[31m';
    const name = `<b onclick="document.title='caught'">`;
    await client.resource(rbacAuthorizationV1.clusterroles).create({ metadata: { name }, rules: [] });
    const made = await client
      .resource(coreV1.configmaps)
      .in('default')
      .create({ metadata: { name: 'target', namespace: 'default', annotations: { 'example.com/a': markup } } });
    await client
      .resource(coreV1.events)
      .in('default')
      .create({
        metadata: { name: 'target.1', namespace: 'default' },
        involvedObject: { kind: 'ConfigMap', name: 'target', namespace: 'default', uid: made.metadata.uid! },
        reason: markup.slice(0, 40),
        message: markup,
        type: 'Warning',
        reportingComponent: '',
        reportingInstance: '',
      });
    const { page } = await opened();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.getByRole('button', { name: 'clusterroles', exact: true }).click();
    await page.getByLabel('Filter').fill('onclick');
    await page.getByRole('gridcell', { name }).click();
    await page.getByLabel('YAML of the object').getByText('onclick').first().waitFor();
    await page.getByRole('button', { name: 'events', exact: true }).first().click();
    await page.getByRole('gridcell', { name: markup }).waitFor();
    await page.getByRole('button', { name: 'configmaps', exact: true }).click();
    await page.getByLabel('Filter').fill('target');
    await page.getByRole('gridcell', { name: 'target', exact: true }).click();
    await page.getByLabel('YAML of the object').getByText('onerror').first().waitFor();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('onerror').last().waitFor();
    assert.equal(await page.title(), 'Console');
    assert.equal(await page.locator('img, [onclick]').count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('a web socket is refused', async () => {
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
