import type { Flag } from './flag.ts';

/** Flags of every command. */
export const globalFlags: readonly Flag[] = [
  { name: 'as', type: 'string', help: 'User to act as, by impersonation; a service account has its full name.' },
  { name: 'as-group', type: 'texts', help: 'Group to act as, by impersonation; may be repeated.' },
  { name: 'as-uid', type: 'string', help: 'UID to act as, by impersonation.' },
  { name: 'cache-dir', type: 'string', help: 'Folder for what is remembered of servers' },
  { name: 'certificate-authority', type: 'string', help: 'File with the certificates of authorities to believe' },
  { name: 'client-certificate', type: 'string', help: 'File with the client certificate for TLS' },
  { name: 'client-key', type: 'string', help: 'File with the key of the client certificate' },
  { name: 'cluster', type: 'string', help: 'Cluster of the connection file to use' },
  { name: 'context', type: 'string', help: 'Context of the connection file to use' },
  {
    name: 'disable-compression',
    type: 'bool',
    help: 'Accepted for compatibility: answers are never asked for compressed',
  },
  {
    name: 'insecure-skip-tls-verify',
    type: 'bool',
    help: "Do not check the server's certificate. This makes connections insecure",
  },
  { name: 'kubeconfig', type: 'string', help: 'Connection file to use' },
  { name: 'kuberc', type: 'string', help: 'File of what you prefer: aliases of commands, and defaults of flags' },
  {
    name: 'log-flush-frequency',
    type: 'duration',
    default: '5s',
    help: 'Accepted for compatibility: the log is not buffered',
  },
  { name: 'match-server-version', type: 'bool', help: 'Refuse to work where the server is of another version' },
  { name: 'namespace', short: 'n', type: 'string', help: 'Namespace that the command is about' },
  { name: 'password', type: 'string', help: 'Password for basic authentication' },
  {
    name: 'profile',
    type: 'string',
    default: 'none',
    help: 'Profile to take of this call: none, cpu or heap, for the tools of Node.js and of browsers',
  },
  {
    name: 'profile-output',
    type: 'string',
    help: 'File to write the profile to; by default profile.cpuprofile or profile.heapprofile',
  },
  {
    name: 'request-timeout',
    type: 'string',
    default: '0',
    help: 'How long a request may take, with a unit (1s, 2m, 3h); 0 for as long as it takes',
  },
  { name: 'server', short: 's', type: 'string', help: 'Address and port of the API server' },
  {
    name: 'tls-server-name',
    type: 'string',
    help: "Name to look for in the server's certificate, where it is not the host of its address",
  },
  { name: 'token', type: 'string', help: 'Bearer token to show to the API server' },
  { name: 'user', type: 'string', help: 'User of the connection file to act as' },
  { name: 'username', type: 'string', help: 'Username for basic authentication' },
  {
    name: 'v',
    short: 'v',
    type: 'int',
    default: 0,
    help: 'How much to log: 6 for requests, 7 with headers, 8 with bodies, 9 as curl commands',
  },
  {
    name: 'vmodule',
    type: 'levels',
    help: 'How much single source files log, as pattern=N,…: request-log=8 is -v=8 for requests alone',
  },

  { name: 'warnings-as-errors', type: 'bool', help: 'End with a failure where the server warns' },
];

/** The flags of a command and those of every command. A command's flag replaces the common flag with the same name. */
export function withGlobals(own: readonly Flag[] = []): readonly Flag[] {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...globalFlags.filter(({ name }) => !names.has(name))];
}
