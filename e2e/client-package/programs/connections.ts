// connections.e2e.ts runs this in a project that has the packed client. It prints the namespaces of the server of a
// connection file. If the arguments contain paths of a node, it runs a command there instead, and sends a text to a
// port, which returns it.
import { connect, createNaming, readConnection } from '@orch/client';
import { coreV1 } from '@orch/client/kinds';
import { openPortForward, remoteCommand } from '@orch/client/streams';

const [, , file, commandPath, forwardPath, port] = process.argv;
const connection = readConnection(file!);
if (commandPath === undefined) {
  const client = await connect(connection);
  const { items } = await client.resource(coreV1.namespaces).list();
  console.log(items.map(({ metadata }) => metadata.name).join(' '));
  await client.close();
} else {
  const client = await connect(connection, { naming: createNaming('orch') });
  const { code } = await remoteCommand(client, { path: commandPath }, { stdout: process.stdout });
  console.log(`status ${code}`);
  const forward = await openPortForward(client, { path: forwardPath! });
  const { data } = await forward.connect(Number(port));
  data.end('there and back\n');
  for await (const piece of data) process.stdout.write(piece);
  await forward.close();
  await client.close();
}
