import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { NamingProfile } from '#base/naming/naming.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { coreV1, rbacAuthorizationV1 } from '#client/generated/resources.ts';
import { chooseConnection, readConnectionFiles } from '#program/connection/connection-file.ts';
import { parseYaml } from '#schema/yaml/parse.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** The path of the browser. By default, it is Debian's, and `CHROMIUM` names another one. */
const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A cluster in a process, and the means to test the console with it. */
export class ConsoleStage {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'console-test-'));
  readonly #children: ChildProcess[] = [];
  client!: ConnectedClient;
  browser!: Browser;

  /** The connection file of the administrator. */
  get connection(): string {
    return path.join(this.folder, 'connection');
  }

  /** @param more additional flags of the cluster */
  async start(naming: NamingProfile, ...more: string[]): Promise<void> {
    const flags = ['--naming', naming, '--kubeconfig', this.connection, ...more];
    await firstLine(this.#run('dist/dev/main.js', ...flags));
    await this.startOn();
  }

  /** Does the same as `start` for a cluster that already runs and whose connection file exists. */
  async startOn(): Promise<void> {
    this.client = await connect(chooseConnection(readConnectionFiles([this.connection])));
    // The tests run as root, and this browser does not have a sandbox for root.
    this.browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  }

  async end(): Promise<void> {
    await this.browser?.close();
    await this.client?.close();
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Starts a console. Resolves to the address that it prints. */
  console(...flags: string[]): Promise<string> {
    return this.consoleOf(this.connection, ...flags);
  }

  /** Starts a console with another connection file. */
  async consoleOf(connection: string, ...flags: string[]): Promise<string> {
    const line = await firstLine(this.#run('dist/cli/main.js', 'console', `--kubeconfig=${connection}`, ...flags));
    return /^Open (\S+)$/.exec(line)![1]!;
  }

  /** The connection file of a new user with the right to read some resources of a new namespace. */
  async connectionOf(name: string, namespace: string, resources: string[]): Promise<string> {
    const { client } = this;
    const metadata = { name, namespace };
    await client.resource(coreV1.namespaces).create({ metadata: { name: namespace } });
    await client.resource(coreV1.serviceaccounts).in(namespace).create({ metadata });
    const rules = [{ apiGroups: [''], resources, verbs: ['get', 'list', 'watch'] }];
    await client.resource(rbacAuthorizationV1.roles).in(namespace).create({ metadata, rules });
    await client
      .resource(rbacAuthorizationV1.rolebindings)
      .in(namespace)
      .create({
        metadata,
        roleRef: { apiGroup: client.naming.group('rbac.authorization'), kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      });
    const answer = await client.call({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: client.naming.apiVersion('authentication', 'v1'),
        kind: 'TokenRequest',
        spec: {},
      }),
    });
    const { token } = (JSON.parse(answer.text) as { status: { token: string } }).status;
    const file = path.join(this.folder, name);
    const { value } = parseYaml(readFileSync(this.connection));
    const config = value as unknown as {
      users: { user: object }[];
      contexts: { context: { namespace?: string } }[];
    };
    config.users[0]!.user = { token };
    config.contexts[0]!.context.namespace = namespace;
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  /** Creates the roles and bindings that a YAML text describes. */
  async apply(yaml: string): Promise<void> {
    const { value } = parseYaml(yaml);
    const { kind, metadata } = value as unknown as { kind: string; metadata: { namespace: string } };
    const root = `/apis/${this.client.naming.group('rbac.authorization')}/v1/namespaces/${metadata.namespace}`;
    const headers = { 'content-type': 'application/json' };
    const path = `${root}/${kind.toLowerCase()}s`;
    await this.client.call({ method: 'POST', path, headers, body: JSON.stringify(value) });
  }

  /** Binds a user to a cluster role. */
  async bind(user: string, role: string): Promise<void> {
    const apiGroup = this.client.naming.group('rbac.authorization');
    await this.client.resource(rbacAuthorizationV1.clusterrolebindings).create({
      metadata: { name: 'of-a-test' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup, kind: 'User', name: user }],
    });
  }

  /** A new browser without cookies. A test that checks `errors` fails if the browser logs an error. */
  async context(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    return this.browser.newContext(options);
  }

  /** A page of a new browser. Errors that the page logs are added to `complaints`. */
  async page(url: string, complaints: string[] = []): Promise<Page> {
    const page = await (await this.context()).newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    return page;
  }

  /** Opens an object by its address, in a window that shows all lines of the editor. */
  async open(page: Page, kind: string, object: string): Promise<void> {
    await page.getByRole('navigation').waitFor();
    await page.setViewportSize({ width: 1280, height: 2_000 });
    await page.goto(`${new URL(page.url()).origin}/#/table?kind=${kind}&object=${object}`);
    await page.getByRole('tab', { name: 'YAML' }).waitFor();
  }

  /** Replaces the words after the indentation in the line of the editor that contains some text. */
  async replaceLine(page: Page, from: string, to: string): Promise<void> {
    await page.getByLabel('YAML of the object').locator('.cm-line', { hasText: from }).first().click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText(to);
  }

  #run(main: string, ...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [path.join(root, main), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: '' },
    });
    this.#children.push(child);
    return child;
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('the program ended without a word');
}
