import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';
import { connect } from '#client/client.ts';
import { appsV1, coreV1 } from '#client/generated/resources.ts';
import { readConnection } from '#program/connection/connection-file.ts';
import { LocalCluster } from './local-cluster.ts';
import { decodePng, encodePng } from './small-png.ts';

// `make screenshots`: pictures of each view of the console in docs/console, from the current build. It starts a
// separate cluster with a few objects, and Debian's browser (CHROMIUM names another one).

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'docs/console');
const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** How long a view may still load data after its first display, in milliseconds. */
const SETTLE_MS = 1_500;

interface Scene {
  readonly name: string;
  /** The place in the page, without the part that names the kind. */
  readonly place: string;
  readonly width: number;
  readonly height: number;
  readonly isDark?: boolean;
  /** Brings the page to the view in the picture. */
  readonly show: (page: Page) => Promise<unknown>;
}

const WIDE = { width: 1000, height: 620 };
const DEPLOYMENT = '#/table?kind=deployments.v1.apps&namespace=default&object=default/web';
const OBJECT = '#/table?kind=configmaps.v1.&namespace=default&object=default/settings';

const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click();

const SCENES: readonly Scene[] = [
  {
    ...WIDE,
    name: 'table',
    place: '#/table?kind=pods.v1.&namespace=default',
    show: (page) => page.getByRole('gridcell', { name: /^web-/ }).first().waitFor(),
  },
  { ...WIDE, name: 'object', place: OBJECT, show: (page) => page.getByLabel('YAML of the object').waitFor() },
  { ...WIDE, name: 'managers', place: OBJECT, show: tab('Managers') },
  { ...WIDE, name: 'related', place: DEPLOYMENT, show: tab('Related') },
  { ...WIDE, name: 'events', place: DEPLOYMENT, show: tab('Events') },
  { ...WIDE, name: 'access', place: OBJECT, show: tab('Access') },
  {
    ...WIDE,
    name: 'history',
    place: OBJECT,
    isDark: true,
    show: async (page) => {
      await tab('History')(page);
      await page.locator('.added').first().waitFor();
    },
  },
  {
    ...WIDE,
    height: 760,
    name: 'control-plane',
    place: '#/control-plane',
    // Plots show something after a few readings.
    show: async (page) => {
      await page.getByText('ready', { exact: true }).first().waitFor();
      await page.waitForTimeout(45_000);
    },
  },
  {
    name: 'narrow',
    place: '#/table?kind=deployments.v1.apps',
    width: 360,
    height: 620,
    isDark: true,
    show: (page) => page.getByRole('gridcell', { name: 'web', exact: true }).waitFor(),
  },
  {
    ...WIDE,
    name: 'keys',
    place: '#/table?kind=pods.v1.&namespace=default',
    show: async (page) => {
      await page.getByRole('gridcell').first().waitFor();
      await page.keyboard.press('?');
    },
  },
];

const cluster = new LocalCluster({ ...process.env, RUN_DIR: path.join(root, '.run/screenshots') });
let browser: Browser | undefined;
let served: ChildProcess | undefined;
try {
  const connection = await startCluster();
  await makeObjects(connection);
  const url = await startConsole(connection);
  // Where this runs as root, the browser has no sandbox.
  browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  const only = process.argv.slice(2);
  await takeAll(
    browser,
    url,
    SCENES.filter(({ name }) => only.length === 0 || only.includes(name)),
  );
} finally {
  await browser?.close();
  served?.kill();
  await cluster.stop();
}

async function startCluster(): Promise<string> {
  await cluster.startEtcd();
  const replicas = await Promise.all([6443, 6444].map((port) => cluster.startReplica(port)));
  const { port } = replicas[0]!;
  await cluster.startManager(port);
  await cluster.startScheduler(port);
  await cluster.startNodes(port, 3);
  return cluster.writeAdminConnection(port);
}

/** Creates a deployment with running pods, and an object that two managers have changed. */
async function makeObjects(connection: string): Promise<void> {
  const client = await connect(readConnection(connection));
  const [deployments, configMaps] = [appsV1.deployments, coreV1.configmaps].map((type) =>
    client.resource(type as typeof coreV1.configmaps).in('default'),
  ) as [ReturnType<typeof client.resource>, ReturnType<typeof client.resource>];
  const deployment = (name: string, replicas: number) => ({
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: `${name}:1` }] },
      },
    },
  });
  for (const [name, replicas] of [
    ['web', 6],
    ['queue', 3],
    ['search', 5],
  ] as const)
    await deployments.apply(deployment(name, replicas), { fieldManager: 'deploy', force: true });
  const data = { greeting: 'hello', colour: 'blue', limit: '20' };
  await configMaps.apply({ metadata: { name: 'settings' }, data }, { fieldManager: 'deploy', force: true });
  const changed = { data: { ...data, limit: '50' } };
  await configMaps.patch('settings', 'merge', changed, { fieldManager: 'night-shift' });
  await client.close();
}

async function startConsole(connection: string): Promise<string> {
  const main = path.join(root, 'dist/cli/main.js');
  served = spawn(process.execPath, [main, 'console', `--kubeconfig=${connection}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: served.stdout! })) return /^Open (\S+)$/.exec(line)![1]!;
  throw new Error('the console ended without a word');
}

async function takeAll(browser: Browser, url: string, scenes: readonly Scene[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('navigation').waitFor();
  for (const { name, place, width, height, isDark, show } of scenes) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: isDark === true ? 'dark' : 'light', reducedMotion: 'reduce' });
    await page.goto('about:blank');
    await page.goto(`${new URL(url).origin}/${place}`);
    await show(page);
    // A view that shows a waiting note has its data when the note disappears.
    await page.locator('.wait').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(SETTLE_MS);
    const file = path.join(folder, `${name}.png`);
    const small = encodePng(decodePng(await page.screenshot({ animations: 'disabled' })), 128);
    writeFileSync(file, small);
    console.log(`${path.relative(root, file)}: ${Math.ceil(small.length / 1024)} KiB`);
  }
}
