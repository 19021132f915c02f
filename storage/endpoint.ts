/** The place where objects are stored. */
export type DatastoreEndpoint =
  | { readonly kind: 'etcd'; readonly servers: readonly string[] }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'memory' };

/** The forms of endpoints, for messages. */
export const ENDPOINT_FORMS = 'https://HOST:PORT of etcd (several separated by commas), sqlite:///PATH or memory:';

/** An address of a member of etcd: HTTP, or a socket of this machine. */
const ETCD_ADDRESS = /^(https?:\/\/[^/\s]+|unixs?:\/\/\S+)$/;

/** Whether a text is an address of a member of etcd. */
export function isEtcdAddress(text: string): boolean {
  return ETCD_ADDRESS.test(text);
}

/**
 * Reads an endpoint; undefined if it has none of the known forms.
 *
 * @example
 * parseEndpoint('sqlite:///var/lib/orch/store'); // => { kind: 'file', file: '/var/lib/orch/store' }
 * parseEndpoint('sqlite://store'); // => undefined
 */
export function parseEndpoint(text: string): DatastoreEndpoint | undefined {
  if (text === 'memory:') return { kind: 'memory' };
  const file = /^sqlite:\/\/(\/.*[^/])$/.exec(text)?.[1];
  if (file !== undefined) return { kind: 'file', file };
  const servers = text.split(',');
  return servers.every(isEtcdAddress) ? { kind: 'etcd', servers } : undefined;
}

/** The text of an endpoint. */
export function endpointText(endpoint: DatastoreEndpoint): string {
  switch (endpoint.kind) {
    case 'etcd':
      return endpoint.servers.join(',');
    case 'file':
      return `sqlite://${endpoint.file}`;
    case 'memory':
      return 'memory:';
  }
}
