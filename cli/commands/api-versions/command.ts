import type { Command } from '../../command-line/command.ts';
import { UsageError } from '../../framework/errors.ts';
import { apiVersionIn } from '../../resources/found.ts';

export const apiVersions: Command = {
  name: 'api-versions',
  short: 'Print the supported API versions on the server, in the form of "group/version"',
  long: 'Print the supported API versions on the server, in the form of "group/version".',
  examples: '# Print the supported API versions\n{} api-versions',
  run: async ({ args, session, io }) => {
    if (args.length > 0) throw new UsageError(`unexpected arguments: [${args.join(' ')}]`);
    const { versions } = await session.rediscovered();
    const names = versions.map(apiVersionIn);
    io.out.write(
      names
        .sort()
        .map((name) => `${name}\n`)
        .join(''),
    );
  },
};
