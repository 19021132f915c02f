import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';
import { parseLabels } from '../../write/labels.ts';
import { exposedKind, ownPorts } from './introspect.ts';

/** The largest length of a service's name. */
const LONGEST_NAME = 63;

const AFFINITIES = ['ClientIP', 'None'];

/** The service that the flags describe for an object. @throws CommandError if a port or a selector is missing */
export function serviceFor(object: ApiObject, group: string, flags: Flags): ApiObject {
  const exposed = exposedKind(object.kind ?? '', group);
  const text = (name: string) => flags.text(name);
  const selectorText = text('selector');
  const selector = selectorText === '' ? exposed.selector(object) : undefined;
  const headless = text('cluster-ip') === 'None';
  const protocols = ownPorts(exposed, object);
  const portTexts = text('port') === '' ? [...protocols.keys()].map(String) : text('port').split(',');
  if (portTexts.length === 0 && !headless)
    throw new CommandError("couldn't find port via --port flag or introspection");
  const ownSelector = selector ?? parseLabels(selectorText);
  const labels = text('labels') === '' ? object.metadata.labels : parseLabels(text('labels'));
  const ports = servicePorts(portTexts, protocols, flags);
  const affinity = text('session-affinity');
  if (affinity !== '' && !AFFINITIES.includes(affinity))
    throw new CommandError(`unknown session affinity: ${affinity}`);
  const { namespace, name = '' } = object.metadata;
  return asObject({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: text('name') || name.slice(0, LONGEST_NAME),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: {
      ports,
      selector: ownSelector,
      clusterIP: text('cluster-ip'),
      type: text('type'),
      externalIPs: text('external-ip') === '' ? [] : [text('external-ip')],
      sessionAffinity: affinity,
      loadBalancerIP: text('type') === 'LoadBalancer' ? text('load-balancer-ip') : '',
    },
  });
}

function servicePorts(
  texts: readonly string[],
  protocols: ReadonlyMap<number, readonly string[]>,
  flags: Flags,
): object[] {
  const given = flags.text('protocol');
  const target = flags.text('target-port');
  return texts.flatMap((text, n) => {
    if (!/^[+-]?\d+$/.test(text))
      throw new CommandError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
    const port = Number(text);
    const own = given === '' ? (protocols.get(port) ?? ['TCP']) : [given];
    return own.map((protocol) => ({
      ...(own.length > 1
        ? { name: `port-${n + 1}-${protocol.toLowerCase()}` }
        : texts.length > 1
          ? { name: `port-${n + 1}` }
          : {}),
      ...{ port, protocol },
      targetPort: target === '' ? port : /^[+-]?\d+$/.test(target) ? Number(target) : target,
    }));
  });
}
