import type { Worker } from 'node:cluster';

/** A connection that is being sent to a worker, in the form of the messages of `node:cluster`. */
interface Handle {
  close(): void;
}

interface HandedOver {
  readonly act?: string;
  readonly seq?: number;
}

interface Reply {
  readonly ack?: number;
}

/**
 * Remembers the connections that were sent to a worker and not accepted yet. `node:cluster` forgets them when the
 * worker ends unexpectedly. The client would then wait forever on a connection that the supervisor keeps open. The
 * returned function is called when the worker is gone. It reports these connections as not accepted, so that they go to
 * another worker. Without another worker (`others` false) they are closed.
 */
export function rescueConnections(worker: Worker): (others: boolean) => void {
  const channel = worker.process;
  const unacknowledged = new Map<number, Handle>();
  const send = channel.send as (this: unknown, message: HandedOver, handle?: Handle, ...rest: unknown[]) => boolean;
  channel.send = ((message: HandedOver, handle?: Handle, ...rest: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined && handle !== undefined)
      unacknowledged.set(message.seq, handle);
    return send.call(channel, message, handle, ...rest);
  }) as typeof channel.send;
  channel.on('internalMessage', ({ ack }: Reply) => {
    if (ack !== undefined) unacknowledged.delete(ack);
  });
  return (others) => {
    for (const [ack, handle] of unacknowledged) {
      if (others) channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
      else handle.close();
    }
    unacknowledged.clear();
  };
}
