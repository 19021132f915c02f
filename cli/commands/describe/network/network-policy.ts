import { selectorText } from '#client/label-selector.ts';
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '#schema/generated/networking.v1.ts';
import type { Describer } from '../describer.ts';
import { momentText } from '../times.ts';
import type { DescriptionWriter } from '../writer.ts';

/** A rule for incoming or outgoing traffic. */
interface Rule {
  readonly ports?: NetworkPolicyPort[] | null;
  readonly peers?: NetworkPolicyPeer[] | null | undefined;
}

const EVERY_POD = '<none> (Allowing the specific traffic to all pods in this namespace)';

/** Describes a network policy. Shows the pods that it selects, and the traffic that it allows. */
export const describeNetworkPolicy: Describer = (writer, object) => {
  const { metadata, spec } = object as NetworkPolicy;
  const { podSelector, policyTypes = [], ingress, egress } = spec ?? {};
  writer.field(0, 'Name', metadata.name ?? '');
  writer.field(0, 'Namespace', metadata.namespace ?? '');
  writer.field(0, 'Created on', momentText(metadata.creationTimestamp));
  writer.labels(0, 'Labels', metadata.labels);
  writer.annotations(0, metadata.annotations);
  writer.line(0, 'Spec:');
  writer.line(1, `PodSelector:     ${selectorText(podSelector) || EVERY_POD}`);
  const coming = (ingress ?? []).map(({ ports, from }) => ({ ports: ports ?? null, peers: from }));
  const going = (egress ?? []).map(({ ports, to }) => ({ ports: ports ?? null, peers: to }));
  if (policyTypes.includes('Ingress')) describeRules(writer, 'ingress', coming);
  else writer.line(1, 'Not affecting ingress traffic');
  if (policyTypes.includes('Egress')) describeRules(writer, 'egress', going);
  else writer.line(1, 'Not affecting egress traffic');
  writer.line(1, `Policy Types: ${policyTypes.join(', ')}`);
};

function describeRules(writer: DescriptionWriter, direction: 'ingress' | 'egress', rules: readonly Rule[]): void {
  const [peer, end] = direction === 'ingress' ? ['From', 'source'] : ['To', 'destination'];
  writer.line(1, `Allowing ${direction} traffic:`);
  if (rules.length === 0) writer.line(2, `<none> (Selected pods are isolated for ${direction} connectivity)`);
  rules.forEach(({ ports, peers }, at) => {
    if (at > 0) writer.line(2, '----------');
    if (!ports?.length) writer.line(2, 'To Port: <any> (traffic allowed to all ports)');
    for (const port of ports ?? []) writer.line(2, portText(port));
    if (!peers?.length) writer.line(2, `${peer}: <any> (traffic not restricted by ${end})`);
    for (const one of peers ?? []) {
      writer.line(2, `${peer}:`);
      describePeer(writer, one);
    }
  });
}

function portText({ port, endPort, protocol = 'TCP' }: NetworkPolicyPort): string {
  return endPort == null
    ? `To Port: ${port ?? '<nil>'}/${protocol}`
    : `To Port Range: ${port ?? '<nil>'}-${endPort}/${protocol}`;
}

function describePeer(writer: DescriptionWriter, { ipBlock, namespaceSelector, podSelector }: NetworkPolicyPeer): void {
  const text = (selector: typeof podSelector) => selectorText(selector) || '<none>';
  if (namespaceSelector) writer.line(3, `NamespaceSelector: ${text(namespaceSelector)}`);
  if (podSelector) writer.line(3, `PodSelector: ${text(podSelector)}`);
  if (ipBlock && !namespaceSelector && !podSelector) {
    writer.line(3, 'IPBlock:');
    writer.line(4, `CIDR: ${ipBlock.cidr}`);
    writer.line(4, `Except: ${(ipBlock.except ?? []).join(', ')}`);
  }
}
