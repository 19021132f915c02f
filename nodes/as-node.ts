import type { Caller } from '#client/caller.ts';
import { Client } from '#client/client.ts';

/** The group of all nodes, and the prefix of the user name of a node. */
const GROUP = 'system:nodes';
const USER = 'system:node:';

/**
 * A client that acts as the user of a node, over the connections of another client. That client needs permission to do
 * so.
 */
export function asNode(client: Client, node: string): Client {
  const headers = { 'impersonate-user': `${USER}${node}`, 'impersonate-group': GROUP };
  const caller: Caller = {
    call: (call) => client.call({ ...call, headers: { ...call.headers, ...headers } }),
    open: (call) => client.open({ ...call, headers: { ...call.headers, ...headers } }),
    upgrade: (call) => client.upgrade({ ...call, headers: { ...call.headers, ...headers } }),
  };
  return new Client(caller, client.naming);
}
