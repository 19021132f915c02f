import { namingProfiles } from '#base/naming/create-naming.ts';
import { defaultRelease, latestRelease } from '#base/release/release.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const genericFlags = [
  {
    name: 'advertise-address',
    type: 'ip',
    built: true,
    about: 'address under which clients inside the cluster reach this replica',
  },
  {
    name: 'cors-allowed-origins',
    type: 'strings',
    built: true,
    about: 'regular expressions (RE2), one of which must be found in the origin of pages that may use this server',
  },
  {
    name: 'default-not-ready-toleration-seconds',
    type: 'int',
    default: '300',
    built: true,
    about: 'how long pods that do not say otherwise stay on a node that is not ready',
  },
  {
    name: 'default-unreachable-toleration-seconds',
    type: 'int',
    default: '300',
    built: true,
    about: 'how long pods that do not say otherwise stay on a node that cannot be reached',
  },
  {
    name: 'enable-priority-and-fairness',
    type: 'bool',
    default: 'true',
    built: true,
    about:
      'have requests wait for their turn by flow schemas and priority levels, which share what the in-flight flags allow',
  },
  {
    name: 'emulated-version',
    type: 'string',
    default: defaultRelease.name,
    built: true,
    about: `release of the interface that the server answers as: ${defaultRelease.name} to ${latestRelease.name}`,
  },
  {
    name: 'external-hostname',
    type: 'string',
    built: true,
    about: 'host, or host:port, under which clients outside reach this server, in discovery and for keys of tokens',
  },
  {
    name: 'feature-gates',
    type: 'mapStringBool',
    built: true,
    about: 'gates to switch, NAME=true|false, separated by commas',
  },
  {
    name: 'goaway-chance',
    type: 'float',
    built: true,
    about: 'part of requests over HTTP/2, up to 0.02, that have their clients open a new connection, to any replica',
  },
  {
    name: 'livez-grace-period',
    type: 'duration',
    built: true,
    about: 'how long after the start /livez trusts that what begins with the server will end well',
  },
  { name: 'master-service-namespace', type: 'string', default: 'default', deprecated: true },
  {
    name: 'max-mutating-requests-inflight',
    type: 'int',
    default: '200',
    built: true,
    about: 'how many requests that write may run at once; more get 429, 0 is no limit',
  },
  {
    name: 'max-requests-inflight',
    type: 'int',
    default: '400',
    built: true,
    about: 'how many requests that read may run at once, watches only until they have started; 0 is no limit',
  },
  {
    name: 'min-request-timeout',
    type: 'int',
    default: '1800',
    built: true,
    about: 'shortest time in seconds after which the server ends a watch (the longest is twice that)',
  },
  {
    name: 'request-timeout',
    type: 'duration',
    default: '1m0s',
    built: true,
    about: 'time limit of requests that are not watches',
  },
  {
    name: 'shutdown-delay-duration',
    type: 'duration',
    built: true,
    about: 'how long a server that ends goes on serving while /readyz already fails',
  },
  {
    name: 'shutdown-send-retry-after',
    type: 'bool',
    built: true,
    about: 'after --shutdown-delay-duration answer 429 with Retry-After until the requests under way have ended',
  },
  {
    name: 'strict-transport-security-directives',
    type: 'strings',
    built: true,
    about: 'max-age=SECONDS, includeSubDomains, preload: the header that makes browsers use TLS; empty: no header',
  },
  {
    name: 'naming',
    type: 'string',
    default: namingProfiles[0]!,
    built: true,
    about: `whose words the interface speaks: ${namingProfiles.join(', ')}; the choice is kept with the data`,
  },
  {
    name: 'workers',
    type: 'int',
    default: '1',
    built: true,
    about: 'processes that share the port, each a full replica with a copy of everything in memory',
  },
  {
    name: 'openapi-descriptions',
    type: 'bool',
    default: 'true',
    built: true,
    about: 'say in the API documents what kinds and fields mean',
  },
  {
    name: 'proxy-protocol-from',
    type: 'strings',
    built: true,
    about:
      'addresses and networks of load balancers whose connections may begin with a header of the PROXY protocol, version 2, that says who their client is',
  },
] as const satisfies readonly FlagDefinition[];
