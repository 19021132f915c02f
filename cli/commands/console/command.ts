import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readAssets } from '#console/process/assets.ts';
import { startConsole } from '#console/process/console-server.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';

/**
 * The folders in which the built page may be. One is next to the built program. The other is relative to this source
 * file.
 */
const PAGES = ['console', '../../../dist/cli/console'].map((folder) => path.join(import.meta.dirname, folder));

/** Programs that open an address in the browser that the user prefers. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

/** The address of a process, which is a host name or an IP address, and a port. */
const ADDRESS = /^([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/;

export const console: Command = {
  name: 'console',
  short: 'Serve a web page to view and change the cluster',
  long: 'Serves a page on this machine, and prints its address. The address holds a secret that can be used once: the page exchanges it for a cookie. Your credentials stay in this process.\n\n Without --write the process refuses all changes. It ends with Ctrl-C, or after an hour in which the page is not used.',
  examples: [
    '# A page that only reads',
    '{} console',
    '',
    '# A page that can change objects, opened in the browser',
    '{} console --write --open',
  ].join('\n'),
  usage: '[--port=PORT] [--write] [--open] [--managers=HOST:PORT,...]',
  flags: [
    { name: 'port', type: 'int', default: 0, help: 'Port to listen on, for this machine only; 0 chooses a free port' },
    { name: 'write', type: 'bool', help: 'Allow the page to change objects' },
    {
      name: 'managers',
      type: 'strings',
      help: 'HOST:PORT of controller managers and schedulers, for their queues; by default the usual ports of the replicas',
    },
    { name: 'open', type: 'bool', help: 'Open the page in a browser: $BROWSER, or the default browser of the system' },
  ],
  run: async ({ flags, session, io }) => {
    const folder = PAGES.find((candidate) => existsSync(path.join(candidate, 'page.js')));
    if (folder === undefined) throw new CommandError('the page is not built: run "make build"');
    const managers = flags.list('managers');
    const wrong = managers.find((address) => !ADDRESS.test(address));
    if (wrong !== undefined) throw new CommandError(`--managers: ${JSON.stringify(wrong)} is not HOST:PORT`);
    const { connection } = session.settings;
    const running = await startConsole({
      client: await session.client(),
      connection,
      managers,
      server: connection.cluster.server,
      namespace: session.namespace,
      assets: readAssets(folder),
      mayWrite: flags.bool('write'),
      port: flags.int('port'),
    });
    io.out.write(`Open ${running.url}\n`);
    if (flags.bool('open'))
      open(io.env['BROWSER'], running.url, (reason) => io.err.write(`Warning: no browser opened: ${reason}\n`));
    if (io.signal.aborted) running.close();
    else io.signal.addEventListener('abort', running.close, { once: true });
    await running.ended;
    return undefined;
  },
};

function open(browser: string | undefined, url: string, onError: (reason: string) => void): void {
  const opener = browser || OPENERS[process.platform];
  if (opener === undefined) {
    onError('it is not known how on this system');
    return;
  }
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.once('error', (error) => onError(error.message));
  child.unref();
}
