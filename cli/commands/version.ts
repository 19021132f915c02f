import { RELEASE } from '../../server/flags/release.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import type { Command } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { VERSION } from '../frame/version.ts';
import { toYaml } from '../output/yaml.ts';

interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

export const version: Command = {
  name: 'version',
  short: 'Print the client and server version information',
  examples: '# Versions of the client and of the server of the current context\n{} version',
  flags: [
    { name: 'client', type: 'bool', help: 'Only that of the client, without asking a server' },
    { name: 'output', short: 'o', type: 'string', help: "One of 'yaml' or 'json'." },
  ],
  run: async ({ flags, args, session, io }) => {
    if (args.length > 0) throw new CommandError(`extra arguments: [${args.join(' ')}]`);
    const output = flags.text('output');
    if (!['', 'json', 'yaml'].includes(output)) throw new CommandError("--output must be 'yaml' or 'json'");
    const clientVersion = {
      major: RELEASE.major,
      minor: RELEASE.minor,
      gitVersion: VERSION,
      compiler: 'node',
      goVersion: '',
      platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    };
    let serverVersion: ServerVersion | undefined;
    let failure: unknown;
    if (!flags.bool('client'))
      try {
        serverVersion = await (await session.client()).getJson<ServerVersion>('/version');
      } catch (error) {
        failure = error;
      }
    const versions = { clientVersion, ...(serverVersion === undefined ? {} : { serverVersion }) };
    if (output === 'json') io.out.write(`${JSON.stringify(versions, undefined, 2)}\n`);
    else if (output === 'yaml') io.out.write(`${toYaml(versions as unknown as ApiObject)}\n`);
    else {
      io.out.write(`Client Version: ${VERSION}\n`);
      if (serverVersion !== undefined) io.out.write(`Server Version: ${serverVersion.gitVersion}\n`);
    }
    if (failure !== undefined) throw failure;
  },
};
