import { namingProfiles } from '#base/naming/create-naming.ts';
import { defaultRelease, latestRelease } from '#base/release/release.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const genericFlags = [
  {
    name: 'advertise-address',
    type: 'ip',
    built: true,
    about: 'address at which clients inside the cluster reach this replica',
  },
  {
    name: 'cors-allowed-origins',
    type: 'strings',
    built: true,
    about: 'regular expressions (RE2) for allowed origins of web pages; one of them must match',
  },
  {
    name: 'default-not-ready-toleration-seconds',
    type: 'int',
    default: '300',
    built: true,
    about: 'time for which pods without their own toleration stay on a node that is not ready',
  },
  {
    name: 'default-unreachable-toleration-seconds',
    type: 'int',
    default: '300',
    built: true,
    about: 'time for which pods without their own toleration stay on an unreachable node',
  },
  {
    name: 'enable-priority-and-fairness',
    type: 'bool',
    default: 'true',
    built: true,
    about:
      'queue requests by flow schemas and priority levels, which share the limits of --max-requests-inflight and --max-mutating-requests-inflight',
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
    about:
      'host, or host:port, at which clients outside of the cluster reach this server; used in discovery and for the keys of tokens',
  },
  {
    name: 'feature-gates',
    type: 'mapStringBool',
    built: true,
    about: 'feature gates as NAME=true|false, separated by commas',
  },
  {
    name: 'goaway-chance',
    type: 'float',
    built: true,
    about:
      'share of HTTP/2 requests, up to 0.02, after which the server asks the client to open a new connection, perhaps to another replica',
  },
  {
    name: 'livez-grace-period',
    type: 'duration',
    built: true,
    about: 'time after the start in which /livez does not fail because of start-up work',
  },
  { name: 'master-service-namespace', type: 'string', default: 'default', deprecated: true },
  {
    name: 'max-mutating-requests-inflight',
    type: 'int',
    default: '200',
    built: true,
    about: 'largest number of write requests in progress; further requests get 429; 0 for no limit',
  },
  {
    name: 'max-requests-inflight',
    type: 'int',
    default: '400',
    built: true,
    about: 'largest number of read requests in progress; watches count only until they have started; 0 for no limit',
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
    about: 'time for which a server that shuts down still serves requests while /readyz fails',
  },
  {
    name: 'shutdown-send-retry-after',
    type: 'bool',
    built: true,
    about:
      'after --shutdown-delay-duration, answer new requests with 429 and Retry-After until requests in progress end',
  },
  {
    name: 'strict-transport-security-directives',
    type: 'strings',
    built: true,
    about:
      'directives of the Strict-Transport-Security header: max-age=SECONDS, includeSubDomains, preload; empty for no header',
  },
  {
    name: 'naming',
    type: 'string',
    default: namingProfiles[0]!,
    built: true,
    about: `naming of the API: ${namingProfiles.join(', ')}; the choice is stored with the data`,
  },
  {
    name: 'workers',
    type: 'int',
    default: '1',
    built: true,
    about: 'number of processes that share the port; each is a full replica with its own cache',
  },
  {
    name: 'openapi-descriptions',
    type: 'bool',
    default: 'true',
    built: true,
    about: 'include descriptions of kinds and fields in the API documents',
  },
  {
    name: 'proxy-protocol-from',
    type: 'strings',
    built: true,
    about:
      'addresses and networks of load balancers whose connections may begin with a header of the PROXY protocol, version 2, which contains the address of the client',
  },
] as const satisfies readonly FlagDefinition[];
