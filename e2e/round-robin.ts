import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A proxy of TCP connections that does not check backends. It passes each connection to the next backend that accepts
 * it.
 */
export interface RoundRobin {
  readonly port: number;
  stop(): Promise<void>;
}

/** Connects to the first port that does not refuse. Undefined if all refuse. */
async function dial(ports: readonly number[]): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      socket.destroy();
    }
  }
  return undefined;
}

export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, async (client) => {
    const from = turn++ % ports.length;
    const behind = await dial([...ports.slice(from), ...ports.slice(0, from)]);
    if (behind === undefined) {
      client.destroy();
      return;
    }
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.end();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
