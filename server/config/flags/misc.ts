import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const miscFlags = [
  {
    name: 'aggregator-reject-forwarding-redirect',
    type: 'bool',
    default: 'true',
    built: true,
    about:
      'answer redirects of extension servers with 502 instead of passing them on; the server never follows a redirect',
  },
  { name: 'allow-privileged', type: 'bool', built: true, about: 'allow privileged containers' },
  {
    name: 'enable-aggregator-routing',
    type: 'bool',
    built: true,
    about: 'connect to webhooks and extension servers at the endpoints of their services, not at the cluster IPs',
  },
  {
    name: 'endpoint-reconciler-type',
    type: 'string',
    default: 'lease',
    built: true,
    about: 'lease (replicas maintain the endpoints of their service) or none (another program writes the endpoints)',
  },
  {
    name: 'event-ttl',
    type: 'duration',
    default: '1h0m0s',
    built: true,
    about: 'how long events are kept',
  },
  { name: 'identity-lease-duration-seconds', type: 'int', default: '3600' },
  { name: 'identity-lease-renew-interval-seconds', type: 'int', default: '10' },
  {
    name: 'kubelet-certificate-authority',
    type: 'string',
    built: true,
    about: 'CA bundle (PEM) that node agents are verified against; without it they are not verified',
  },
  {
    name: 'kubelet-client-certificate',
    type: 'string',
    built: true,
    about: 'client certificate (PEM) for node agents',
  },
  {
    name: 'kubelet-client-key',
    type: 'string',
    built: true,
    about: 'key (PEM) of the client certificate for node agents',
  },
  {
    name: 'kubelet-preferred-address-types',
    type: 'strings',
    default: '[Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP]',
    built: true,
    about: 'types of node addresses to connect to, in order of preference',
  },
  {
    name: 'kubelet-timeout',
    type: 'duration',
    default: '5s',
    built: true,
    about: 'time limit for connecting to a node agent',
  },
  {
    name: '{product}-service-node-port',
    type: 'int',
    built: true,
    about: "node port of the API server's own service, set when the server creates the service; 0 for no node port",
  },
  {
    name: 'max-connection-bytes-per-sec',
    type: 'int',
    built: true,
    about:
      'limit in bytes per second for each direction of upgraded connections (exec, attach, port-forward, proxy); 0 for no limit',
  },
  {
    name: 'proxy-client-cert-file',
    type: 'string',
    built: true,
    about: 'client certificate (PEM) with which extension servers authenticate this server as a front proxy',
  },
  {
    name: 'proxy-client-key-file',
    type: 'string',
    built: true,
    about: 'key (PEM) of the client certificate for extension servers',
  },
  {
    name: 'service-account-signing-key-file',
    type: 'string',
    built: true,
    about: 'private key (PEM) that signs service account tokens',
  },
  {
    name: 'service-cluster-ip-range',
    type: 'string',
    built: true,
    about: 'networks (CIDR, one per address family) from which cluster IPs are allocated',
  },
  {
    name: 'service-node-port-range',
    type: 'portRange',
    default: '30000-32767',
    built: true,
    about: 'range of node ports of services',
  },
] as const satisfies readonly FlagDefinition[];
