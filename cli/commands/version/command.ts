import { BUILD } from '#program/flags/build.ts';
import { RELEASE } from '#program/flags/release.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command } from '../../command-line/command.ts';
import { type ServerVersion, serverVersion, skewWarning } from '../../connection/server-version.ts';
import { CommandError } from '../../framework/errors.ts';
import { VERSION } from '../../framework/version.ts';
import { toYaml } from '../../output/yaml.ts';

export const version: Command = {
  name: 'version',
  short: 'Print the client and server version information',
  examples: '# Versions of the client and of the server of the current context\n{} version',
  flags: [
    { name: 'client', type: 'bool', help: 'Show only the version of the client, without a request to a server' },
    { name: 'output', short: 'o', type: 'string', help: 'Form of the output: yaml or json' },
  ],
  run: async ({ flags, args, session, io }) => {
    if (args.length > 0) throw new CommandError(`extra arguments: [${args.join(' ')}]`);
    const output = flags.text('output');
    if (!['', 'json', 'yaml'].includes(output)) throw new CommandError("--output must be 'yaml' or 'json'");
    const clientVersion = {
      major: RELEASE.major,
      minor: RELEASE.minor,
      gitVersion: VERSION,
      gitCommit: BUILD.commit,
      compiler: 'node',
      goVersion: '',
      platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    };
    // An unknown context is reported before anything is printed.
    if (!flags.bool('client')) void session.settings;
    let server: ServerVersion | undefined;
    let failure: unknown;
    if (!flags.bool('client'))
      try {
        server = await serverVersion(await session.client());
      } catch (error) {
        failure = error;
      }
    const versions = { clientVersion, ...(server === undefined ? {} : { serverVersion: server }) };
    if (output === 'json') io.out.write(`${JSON.stringify(versions, undefined, 2)}\n`);
    else if (output === 'yaml') io.out.write(`${toYaml(asObject(versions))}\n`);
    else {
      io.out.write(`Client Version: ${VERSION}\n`);
      if (server !== undefined) io.out.write(`Server Version: ${server.gitVersion}\n`);
    }
    const warning = server && skewWarning(server);
    if (warning !== undefined) io.err.write(`${warning}\n`);
    if (failure !== undefined) throw failure;
  },
};
