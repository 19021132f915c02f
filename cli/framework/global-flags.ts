import type { Flag } from './flag.ts';

/** The flags of every command. */
export const globalFlags: readonly Flag[] = [
  { name: 'as', type: 'string', help: 'User to impersonate; for a service account, its full user name' },
  { name: 'as-group', type: 'texts', help: 'Group to impersonate; may be repeated' },
  { name: 'as-uid', type: 'string', help: 'UID to impersonate' },
  { name: 'cache-dir', type: 'string', help: 'Folder for the cache of the types of servers' },
  {
    name: 'certificate-authority',
    type: 'string',
    help: 'File with the certificates of trusted certificate authorities',
  },
  { name: 'client-certificate', type: 'string', help: 'File with the client certificate for TLS' },
  { name: 'client-key', type: 'string', help: 'File with the key of the client certificate' },
  { name: 'cluster', type: 'string', help: 'Cluster of the connection file to use' },
  { name: 'context', type: 'string', help: 'Context of the connection file to use' },
  {
    name: 'disable-compression',
    type: 'bool',
    help: 'Accepted for compatibility: the program never requests compressed answers',
  },
  {
    name: 'insecure-skip-tls-verify',
    type: 'bool',
    help: "Do not check the server's certificate. This makes connections insecure",
  },
  { name: 'kubeconfig', type: 'string', help: 'Connection file to use' },
  { name: 'kuberc', type: 'string', help: 'File with your preferences: aliases of commands and defaults of flags' },
  {
    name: 'log-flush-frequency',
    type: 'duration',
    default: '5s',
    help: 'Accepted for compatibility: the log is not buffered',
  },
  { name: 'match-server-version', type: 'bool', help: 'Fail if the server has another version than the client' },
  { name: 'namespace', short: 'n', type: 'string', help: 'Namespace of the command' },
  { name: 'password', type: 'string', help: 'Password for basic authentication' },
  {
    name: 'profile',
    type: 'string',
    default: 'none',
    help: 'Profile to record of this call: none, cpu or heap, for the tools of Node.js and browsers',
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
    help: 'Time limit for one request, with a unit (1s, 2m, 3h); 0 means no limit',
  },
  { name: 'server', short: 's', type: 'string', help: 'Address and port of the API server' },
  {
    name: 'tls-server-name',
    type: 'string',
    help: "Host name to expect in the server's certificate, if it is not the host of its address",
  },
  { name: 'token', type: 'string', help: 'Bearer token to send to the API server' },
  { name: 'user', type: 'string', help: 'User of the connection file to use' },
  { name: 'username', type: 'string', help: 'Username for basic authentication' },
  {
    name: 'v',
    short: 'v',
    type: 'int',
    default: 0,
    help: 'Log level: 6 logs requests, 7 also headers, 8 also bodies, 9 also curl commands',
  },
  {
    name: 'vmodule',
    type: 'levels',
    help: 'Log levels of source files, as pattern=N,…: request-log=8 is -v=8 for requests only',
  },

  { name: 'warnings-as-errors', type: 'bool', help: 'Exit with an error if the server sends a warning' },
];

/** The flags of a command and those of every command. A command's flag replaces the common flag with the same name. */
export function withGlobals(own: readonly Flag[] = []): readonly Flag[] {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...globalFlags.filter(({ name }) => !names.has(name))];
}
