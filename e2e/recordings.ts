import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { namingProfiles } from '#base/naming/create-naming.ts';
import { KnownDifferences } from './known-differences.ts';
import { readReport, type ScenarioResult } from './reports.ts';

// Replays a folder of recorded conversations (with its own `run.mjs`) against the build and compares what differs with
// known-differences.txt:
//   node e2e/recordings.ts FOLDER [--area TEXT] [--naming NAME] [--report DIR] [--parallel N] [--node PATH] [--http2]
//     [--datastore etcd|memory|file]
// `--node` names the Node.js that runs the server. The one of the machine may be older than the one of the project.
// `--datastore` names the store of the server. Without etcd, the project's Node.js runs everything.
// With `--http2`, the requests are sent over HTTP/2 (speak-http2.ts), and the project's Node.js runs everything.
// Without `--naming`, it replays the recordings in all words, and those with later releases (`modern`), whose files
// name the flag `--emulated-version`.
// Areas that are listed as a whole are skipped unless --area names them. If only a few scenarios have a result that is
// not listed, each is replayed once more on a separate server, and the second result counts. The last line is
// `N passed, N failed`. A scenario passes if its result is the listed one.

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    area: { type: 'string' },
    naming: { type: 'string' },
    report: { type: 'string', default: '.run/recordings' },
    parallel: { type: 'string', default: '2' },
    node: { type: 'string', default: process.execPath },
    http2: { type: 'boolean', default: false },
    datastore: { type: 'string', default: 'etcd' },
  },
});

/** One file of recordings. */
interface Job {
  /** Its folder, whose name is that of the naming of its texts, or `modern`. */
  readonly folder: string;
  readonly area: string;
  readonly file: string;
  /** Whether its helper listens on a fixed port. Such files cannot run at the same time. */
  readonly fixedPort: boolean;
}

const minutesPerFile = 8;

/** The folder of conversations in upstream words with a server of later releases. */
const LATER_RELEASES = 'modern';

/** Makes the replayer, and no server, use HTTP/2. */
const overHttp2 = { module: 'speak-http2.ts', env: { SPEAK_HTTP2: 'replay.mjs' } };

/** Makes servers store their objects elsewhere, and not in the etcd that is started for them. */
const onOtherStore = { module: 'other-datastore.ts', env: { OTHER_DATASTORE: options.datastore } };

/** The largest number of scenarios or files that are replayed again. If more are in doubt, they have a common cause. */
const doubtsAllowed = 5;

if (!['etcd', 'memory', 'file'].includes(options.datastore)) fail('--datastore is etcd, memory or file.');
const changes = [...(options.http2 ? [overHttp2] : []), ...(options.datastore === 'etcd' ? [] : [onOtherStore])];
const folder = positionals[0] ?? fail('Name the folder of recordings.');
const known = KnownDifferences.parse(readFileSync(path.join(import.meta.dirname, 'known-differences.txt'), 'utf8'));
const jobs = chooseJobs();
if (jobs.length === 0) fail(`There is nothing to replay in ${folder}.`);
rmSync(options.report, { recursive: true, force: true });

/** The result of a job: its scenarios, or the reason why there are none. */
type Replay = readonly ScenarioResult[] | string;

const replays = new Map<Job, Replay>();
const shared = jobs.filter(({ fixedPort }) => !fixedPort);
const first = jobs.filter(({ fixedPort }) => fixedPort);
const workers = Array.from({ length: Math.max(1, Number(options.parallel)) }, (_, i) =>
  work(i === 0 ? [first, shared] : [shared]),
);
await Promise.all(workers);
await settleDoubts();
summarize();

function chooseJobs(): Job[] {
  return (options.naming === undefined ? [...namingProfiles, LATER_RELEASES] : [options.naming])
    .filter((own) => existsSync(path.join(folder, own)))
    .flatMap((own) => readdirSync(path.join(folder, own)).map((name) => ({ folder: own, name })))
    .filter(({ name }) => name.endsWith('.json'))
    .map(({ folder: own, name }) => ({
      folder: own,
      area: path.basename(name, '.json'),
      file: path.resolve(folder, own, name),
    }))
    .filter(({ area }) =>
      options.area === undefined ? known.areaReason(area) === undefined : area.includes(options.area),
    )
    .map((job) => ({ ...job, fixedPort: readFileSync(job.file, 'utf8').includes('"webhook-rules.json"') }));
}

async function work(queues: readonly Job[][]): Promise<void> {
  for (const queue of queues)
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const start = Date.now();
      const replay = await replayFile(job, options.report);
      replays.set(job, replay);
      if (typeof replay === 'string') continue;
      const whole = replay.filter(({ passed }) => passed).length;
      const seconds = Math.round((Date.now() - start) / 1000);
      console.log(`${job.folder}/${job.area}: ${whole} of ${replay.length} as recorded, ${seconds} s`);
    }
}

/** Replays a file, or only its scenarios whose `area/id` contains `filter`. */
async function replayFile(job: Job, directory: string, filter?: string): Promise<Replay> {
  const { folder: own, area, file } = job;
  const naming = own === LATER_RELEASES ? 'kubernetes' : own;
  const reports = path.join(directory, own);
  mkdirSync(reports, { recursive: true });
  const report = path.join(reports, `${area}.json`);
  rmSync(report, { force: true });
  const log = openSync(path.join(reports, `${area}.log`), 'w');
  const args = [path.join(folder, 'run.mjs'), '--root', '.', '--naming', naming, '--report', reports];
  if (filter !== undefined) args.push('--filter', filter);
  // A separate process group, so that this program can end a run that hangs, together with the servers of the run.
  const imports = changes.map(({ module }) => `--import=${path.join(import.meta.dirname, module)}`);
  const env = Object.assign({ ...process.env }, ...changes.map((change) => change.env));
  if (imports.length > 0) env['NODE_OPTIONS'] = imports.join(' ');
  // The modules that its processes load are in TypeScript.
  const node = imports.length > 0 ? process.execPath : options.node;
  const child = spawn(node, [...args, file], { stdio: ['ignore', log, log], detached: true, env });
  closeSync(log);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, minutesPerFile * 60_000);
  await once(child, 'exit');
  clearTimeout(timer);
  if (!late && existsSync(report)) return readReport(report, own);
  const trouble = late ? `took over ${minutesPerFile} minutes` : 'left no report';
  return `${own}/${area} ${trouble}; see ${reports}/${area}.log`;
}

/** Whether the result of a scenario differs from the list. */
function isDoubtful({ scenario, area, passed }: ScenarioResult): boolean {
  return passed ? known.mustDiffer(scenario) : (known.scenarioReason(scenario) ?? known.areaReason(area)) === undefined;
}

/**
 * Replays doubtful files and scenarios again, on a server without other work at the same time, and uses the second
 * result.
 */
async function settleDoubts(): Promise<void> {
  const doubts: { readonly job: Job; readonly scenario?: ScenarioResult }[] = [];
  for (const [job, replay] of replays) {
    if (typeof replay === 'string') doubts.push({ job });
    else doubts.push(...replay.filter(isDoubtful).map((scenario) => ({ job, scenario })));
  }
  if (doubts.length > doubtsAllowed) return;
  for (const { job, scenario: doubtful } of doubts) {
    const what = doubtful?.scenario ?? `${job.folder}/${job.area}`;
    console.log(`AGAIN ${what}: ${doubtful === undefined ? replays.get(job) : doubtful.difference || 'as recorded'}`);
    const filter = doubtful?.scenario.slice(job.folder.length + 1);
    const again = await replayFile(job, path.join(options.report, 'again'), filter);
    const before = replays.get(job);
    if (typeof before === 'string') replays.set(job, again);
    const alone = typeof again === 'string' ? undefined : again.find(({ scenario }) => scenario === doubtful?.scenario);
    if (typeof before === 'object' && alone !== undefined)
      replays.set(
        job,
        before.map((one) => (one.scenario === alone.scenario ? alone : one)),
      );
  }
}

function summarize(): void {
  const results = [...replays.values()].flatMap((replay) => (typeof replay === 'string' ? [] : replay));
  const broken = [...replays.values()].filter((replay) => typeof replay === 'string');
  const worse = results.filter((result) => !result.passed && isDoubtful(result));
  const better = results.filter((result) => result.passed && isDoubtful(result));
  for (const { scenario, difference } of worse) console.log(`FAIL ${scenario}: ${difference}`);
  for (const { scenario } of better)
    console.log(`FAIL ${scenario} is listed in known-differences.txt, but passes now: take it out`);
  for (const line of broken) console.log(`FAIL ${line}`);
  const failed = worse.length + better.length + broken.length;
  const same = results.filter(({ passed }) => passed).length;
  const wording = results.reduce((sum, result) => sum + result.wording, 0);
  console.log(
    `${results.length} scenarios replayed, ${same} as recorded (${wording} messages worded differently), ${results.length - same} differ.`,
  );
  console.log(`${results.length - worse.length - better.length} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
