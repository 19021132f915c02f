import { harmlessText } from '#base/text/terminal-text.ts';
import { listOf } from '#client/answers.ts';
import { type Command, entryOf } from '../../command-line/command.ts';
import { dump } from './dump.ts';

export const clusterInfo: Command = {
  name: 'cluster-info',
  short: 'Display cluster information',
  long: 'Display addresses of the control plane and of the services that are labelled as cluster services. To debug further, use "{} cluster-info dump".',
  examples: '# Show the address of the control plane\n{} cluster-info',
  subcommands: [entryOf(dump)],
  run: async ({ session, io }) => {
    const client = await session.client();
    const { naming } = client;
    const { server } = session.settings.connection.cluster;
    const styled = io.out.columns !== undefined && !io.env['NO_COLOR'];
    const [name, place] = coloured(styled);
    const selector = encodeURIComponent(`${naming.key('cluster-service')}=true`);
    const system = naming.prefixed('system');
    const path = `/api/v1/namespaces/${system}/services?labelSelector=${selector}`;
    const { items } = listOf(await client.getJson(path));
    const product = naming.product[0]!.toUpperCase() + naming.product.slice(1);
    io.out.write(`${name(`${product} control plane`)} is running at ${place(server)}\n`, styled);
    for (const { metadata } of items) {
      const shown = metadata.labels?.[naming.key('name')] ?? metadata.name ?? '';
      io.out.write(
        `${name(shown)} is running at ${place(`${server}/api/v1/namespaces/${system}/services/${metadata.name}/proxy`)}\n`,
        styled,
      );
    }
    io.out.write("\nTo further debug and diagnose cluster problems, use 'orchctl cluster-info dump'.\n");
    return undefined;
  },
};

function coloured(yes: boolean): [(text: string) => string, (text: string) => string] {
  const wrap = (code: string) => (text: string) => (yes ? `\u001b[${code}m${harmlessText(text)}\u001b[0m` : text);
  return [wrap('0;32'), wrap('0;33')];
}
