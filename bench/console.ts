import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { Client } from './client.ts';
import { fill } from './fill.ts';
import { pod } from './pod.ts';
import { cpuMs, ownMb, residentMb } from './process-usage.ts';
import { Stage } from './stage.ts';

/**
 * The console with a large table in a real browser: `node bench/console.ts`. There are `PODS` pods and `CHANGES`
 * changes a second for `SECONDS` seconds. It prints the time from the command to the first table, and the costs of a
 * filter, an order and scrolling. It also prints the memory and processor time of the tab and the console. Processor
 * time is that of the process; for the page it is that of its main thread. The load of the machine is printed too.
 */

const size = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const PODS = size('PODS', 50_000);
const CHANGES = size('CHANGES', 200);
const SECONDS = size('SECONDS', 60);
/** How often memory is noted, in seconds. */
const NOTE_SECONDS = 30;
const BEAT_MS = 20;
const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const MAIN = path.resolve(import.meta.dirname, '../dist/cli/main.js');

// These functions run in the page, whose types this program does not have.

/** Types words into the filter. Resolves with the milliseconds until the frame that shows another count. */
const FILTER = `([text, expected]) =>
  new Promise((resolve) => {
    const field = document.querySelector('#filter');
    const output = document.querySelector('output.count');
    const old = output.textContent;
    const began = performance.now();
    const observer = new MutationObserver(() => {
      if (output.textContent === old || !output.textContent.includes(expected)) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - began));
    });
    observer.observe(output, { childList: true, subtree: true, characterData: true });
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  })`;

/** Scrolls for five seconds. Resolves with how many frames there were, how many came late, and how many had no row. */
const SCROLL = `new Promise((resolve) => {
  const grid = document.querySelector('[role=grid]');
  const began = performance.now();
  let [frames, late, blank, last] = [0, 0, 0, began];
  const frame = (now) => {
    frames++;
    if (now - last > 34) late++;
    last = now;
    const { top, bottom } = grid.getBoundingClientRect();
    const rows = [...grid.querySelectorAll('.row:not(.head)')].map((row) => row.getBoundingClientRect());
    if (!rows.some((row) => row.bottom > top + 60 && row.top < bottom)) blank++;
    grid.scrollTop += 40;
    if (now - began < 5000) requestAnimationFrame(frame);
    else resolve({ frames, late, blank, seconds: (now - began) / 1000 });
  };
  requestAnimationFrame(frame);
})`;

const stage = new Stage();
const folder = mkdtempSync(path.join(tmpdir(), 'bench-console-'));
let served: ChildProcess | undefined;
let browser: Browser | undefined;
try {
  const etcd = await stage.startEtcd();
  await fill(etcd, storedPods());
  const { port, pid } = await stage.startServer(etcd);
  const file = path.join(folder, 'connection');
  writeConnectionFile(file, 'bench', {
    server: `https://127.0.0.1:${port}`,
    ca: stage.pki.read('ca.crt'),
    clientCertificate: stage.pki.read('admin.crt'),
    clientKey: stage.pki.read('admin.key'),
  });
  browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  console.log(`${PODS} pods, ${CHANGES} changes a second, load ${load()}`);
  await firstTable(browser, file);
  const page = await firstTable(browser, file);
  await underChanges(browser, page, new Client(stage.pki, port, 16), pid);
} finally {
  await browser?.close();
  served?.kill('SIGKILL');
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
}

function* storedPods(): Iterable<readonly [string, object]> {
  for (let n = 0; n < PODS; n++) {
    const made = pod(n) as { metadata: object };
    const uid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    const metadata = { ...made.metadata, namespace: 'default', uid, creationTimestamp: '2026-01-01T00:00:00Z' };
    yield [
      `core/pods/default/${nameOf(n)}`,
      // The server stores the kind as the first field.
      { kind: 'Pod', ...made, metadata, status: { phase: 'Running', qosClass: 'Burstable' } },
    ];
  }
}

function nameOf(n: number): string {
  return (pod(n) as { metadata: { name: string } }).metadata.name;
}

function load(): string {
  return loadavg()[0]!.toFixed(1);
}

/** The time from the command to the first rows. */
async function firstTable(browser: Browser, file: string): Promise<Page> {
  served?.kill('SIGKILL');
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  page.setDefaultTimeout(300_000);
  const began = performance.now();
  served = spawn(process.execPath, [MAIN, 'console', `--kubeconfig=${file}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  let url = '';
  for await (const line of createInterface({ input: served.stdout! })) {
    url = /^Open (\S+)$/.exec(line)![1]!;
    break;
  }
  const printed = performance.now() - began;
  await page.goto(url);
  await page.locator('[role=gridcell]').first().waitFor();
  const shown = performance.now() - began;
  const used = cpuMs(served.pid!);
  console.log(
    `first table: address after ${ms(printed)}, rows after ${ms(shown)}; processor time of the console ${ms(used)}, load ${load()}`,
  );
  return page;
}

async function underChanges(browser: Browser, page: Page, client: Client, server: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const tab = await rendererOf(await browser.newBrowserCDPSession(), session);
  const end = new AbortController();
  const changes = makeChanges(client, end.signal);
  await sleep(5_000);
  await filters(page, session);
  await orders(page, session);
  await scrolls(page, session);
  const began = performance.now();
  const [consoleBefore, tabBefore, serverBefore] = [served!.pid!, tab, server].map(cpuMs) as [number, number, number];
  const made = changes.made();
  for (let seconds = 0; ; seconds += NOTE_SECONDS) {
    const passed = (performance.now() - began) / 1000;
    const { JSHeapUsedSize = 0, Nodes = 0 } = await metrics(session);
    console.log(
      `after ${passed.toFixed(0)} s: tab ${mb(ownMb([tab]))} of its own (${mb(JSHeapUsedSize / 1_048_576)} of objects, ${Nodes} nodes), console ${mb(residentMb(served!.pid!))}, load ${load()}`,
    );
    if (seconds >= SECONDS) break;
    await sleep(NOTE_SECONDS * 1000);
  }
  const seconds = (performance.now() - began) / 1000;
  const share = (pid: number, before: number) => `${((cpuMs(pid) - before) / seconds / 10).toFixed(1)} %`;
  console.log(
    `${((changes.made() - made) / seconds).toFixed(0)} changes a second (${changes.failed()} of all failed): the console used ${share(served!.pid!, consoleBefore)} of a core, the tab ${share(tab, tabBefore)}, the server ${share(server, serverBefore)}`,
  );
  end.abort();
}

/** Changes cells of pods one after the other, at the required rate. */
function makeChanges(client: Client, signal: AbortSignal): { made(): number; failed(): number } {
  const began = performance.now();
  let [sent, made, failed] = [0, 0, 0];
  const timer = setInterval(() => {
    if (signal.aborted) {
      clearInterval(timer);
      return;
    }
    const due = ((performance.now() - began) / 1000) * CHANGES;
    // Skips the changes that a busy machine is too slow for.
    while (sent < due && sent - made < 64) {
      const n = (sent++ * 7919) % PODS;
      const phase = Math.floor(sent / PODS) % 2 === 0 ? 'Pending' : 'Running';
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      const body = { status: { phase, message: String(sent) } };
      client.call('PATCH', `/api/v1/namespaces/default/pods/${nameOf(n)}/status`, { headers, body }).then(
        () => made++,
        () => {
          made++;
          failed++;
        },
      );
    }
    if (sent < due - 64) sent = Math.max(sent, made);
  }, BEAT_MS);
  return { made: () => made, failed: () => failed };
}

/** The time and the cost of a filter, from a key press until its count appears. */
async function filters(page: Page, session: CDPSession): Promise<void> {
  for (const [words, count] of [
    ['app-42', 'of'],
    ['app-4', 'of'],
    ['', 'objects'],
  ] as const) {
    const before = cpuMs(served!.pid!);
    const task = (await metrics(session)).TaskDuration!;
    const took = (await page.evaluate(`(${FILTER})(${JSON.stringify([words, count])})`)) as number;
    const main = ((await metrics(session)).TaskDuration! - task) * 1000;
    console.log(
      `filter "${words}": ${ms(took)}; processor time of the console ${ms(cpuMs(served!.pid!) - before)}, main thread of the tab ${ms(main)}, load ${load()}`,
    );
    await sleep(1000);
  }
}

async function orders(page: Page, session: CDPSession): Promise<void> {
  for (const name of ['Status', 'Name']) {
    const before = cpuMs(served!.pid!);
    const task = (await metrics(session)).TaskDuration!;
    await page.getByRole('columnheader', { name, exact: true }).getByRole('button').click();
    await page.locator(`[role=columnheader][aria-sort=ascending]`, { hasText: name }).waitFor();
    await sleep(500);
    const main = ((await metrics(session)).TaskDuration! - task) * 1000;
    console.log(
      `order by ${name}: processor time of the console ${ms(cpuMs(served!.pid!) - before)}, main thread of the tab ${ms(main)} in the half second after`,
    );
  }
}

/** Scrolls for five seconds, and reports the frames and their cost. */
async function scrolls(page: Page, session: CDPSession): Promise<void> {
  const task = (await metrics(session)).TaskDuration!;
  const { frames, late, blank, seconds } = (await page.evaluate(SCROLL)) as {
    readonly frames: number;
    readonly late: number;
    readonly blank: number;
    readonly seconds: number;
  };
  const main = ((await metrics(session)).TaskDuration! - task) * 1000;
  console.log(
    `scrolling: ${(frames / seconds).toFixed(0)} frames a second, ${late} of ${frames} late, ${blank} without a row; ${(main / frames).toFixed(1)} ms of the main thread for each, load ${load()}`,
  );
}

async function metrics(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await session.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** The process of a tab: the one that gets busy when the tab does. */
async function rendererOf(browser: CDPSession, tab: CDPSession): Promise<number> {
  const used = async () => {
    const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
    return new Map(processInfo.filter(({ type }) => type === 'renderer').map(({ id, cpuTime }) => [id, cpuTime]));
  };
  const before = await used();
  await tab.send('Runtime.evaluate', { expression: 'for (const end = Date.now() + 500; Date.now() < end; );' });
  const grown = [...(await used())].map(([id, time]) => [id, time - (before.get(id) ?? 0)] as const);
  return grown.sort(([, a], [, b]) => b - a)[0]![0];
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function mb(value: number): string {
  return `${value.toFixed(0)} MB`;
}
