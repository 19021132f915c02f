import net from 'node:net';

/** A link to a server on this machine that delays answers. */
export interface SlowLink {
  /** The address `http://127.0.0.1:PORT`, which clients use in place of the server's own address. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts a link to the server at an endpoint (`http://127.0.0.1:2379`). Its answers arrive `delayMs` later, in order.
 * Requests to it arrive at once.
 */
export async function startSlowLink(endpoint: string, delayMs: number): Promise<SlowLink> {
  const { hostname, port } = new URL(endpoint);
  const open = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (bytes) => setTimeout(() => near.writable && near.write(bytes), delayMs));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
