import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { flagHelp } from '#program/flags/flag-help.ts';
import { Verbosity } from '#program/process/verbosity.ts';
import { flagSections } from '#server/config/flags/flag-table.ts';
import { readServerOptions } from '#server/config/options.ts';
import { type Flags, parseFlags } from '#server/config/parse-flags.ts';
import { serverLog } from '#server/observability/server-log.ts';
import { startServer } from '#server/stages/start-server.ts';
import { ensureCertificates } from '../certificates.ts';
import { dialInside } from '../dial-inside.ts';
import { type RunningManager, startManager } from '../start-programs.ts';
import { FIELD } from './assets.ts';
import { splitFlags } from './split-flags.ts';

/** Whether the controllers run next to the API server. */
const CONTROLLERS = 'ORCH_DEV_CONTROLLERS';

/** Flags about an etcd or its data. They have no effect, because the store is in the memory of this process. */
const OF_ETCD = /^(?:etcd-.*|storage-backend|datastore-endpoint)$/;

/**
 * Replaces the field's API server for programs that start one beside an etcd. It has a store in memory and upstream
 * words. All other flags go to the API server, which refuses flags that it does not have.
 *
 * @throws ConfigError that names the setting to change
 */
export async function runServer(argv: readonly string[], until: Promise<void>): Promise<void> {
  const given = splitFlags(argv);
  const idle = given.filter(({ name }) => OF_ETCD.test(name));
  const kept = given.filter((flag) => !idle.includes(flag)).flatMap(({ words }) => words);
  const invocation = parseFlags([`--naming=${FIELD.profile}`, ...kept, '--datastore-endpoint=memory:']);
  if (!('flags' in invocation)) {
    const about = 'An API server over a store in memory, in the place of one over etcd.';
    process.stdout.write(`${flagHelp(FIELD.prefixed('apiserver'), about, flagSections, FIELD)}\n`);
    return;
  }
  const { flags } = invocation;
  const verbosity = new Verbosity(flags.get('v'));
  const log = serverLog(FIELD.prefixed('apiserver'), 'text', verbosity.level);
  if (flags.get('v') >= 2)
    for (const { name } of idle) log.info({ flag: name }, 'means nothing here: no etcd is behind this server');
  const folder = mkdtempSync(path.join(tmpdir(), 'orch-dev-'));
  try {
    const place = process.env[CONTROLLERS] === '1' ? controllersPlace(folder, flags) : undefined;
    const options = readServerOptions(
      place === undefined ? flags : readAgain([...kept, `--client-ca-file=${place.clientCa}`]),
    );
    const server = await startServer(options, log, verbosity);
    const manager: RunningManager | undefined =
      place && startManager({ naming: FIELD, dialAs: dialInside(server), log, ...place });
    await until;
    server.cut();
    await manager?.stop();
    await server.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readAgain(argv: readonly string[]): Flags {
  const invocation = parseFlags([`--naming=${FIELD.profile}`, ...argv, '--datastore-endpoint=memory:']);
  if (!('flags' in invocation)) throw new TypeError('the flags start no server');
  return invocation.flags;
}

/**
 * The files that the controllers need: the files of the server, and certificates of a separate authority. The server
 * trusts this authority besides the one from its flags.
 */
function controllersPlace(folder: string, flags: Flags) {
  const files = ensureCertificates(path.join(folder, 'certificates'), FIELD);
  const clientCa = path.join(folder, 'client-ca.crt');
  const given = flags.get('client-ca-file');
  writeFileSync(clientCa, files.read('ca.crt') + (given === '' ? '' : readFileSync(given, 'utf8')));
  const serving = flags.get('tls-cert-file') || path.join(flags.get('cert-dir'), 'apiserver.crt');
  return {
    files,
    clientCa,
    rootCa: serving,
    accountKey: flags.get('service-account-signing-key-file'),
  };
}
