import type { ApiObject } from '#schema/objects/api-object.ts';
import { inGroup } from '../../connection/in-group.ts';
import { CommandError } from '../../framework/errors.ts';

/** A port that an object declares. */
export interface OwnPort {
  readonly port: number;
  readonly protocol: string;
}

interface Container {
  readonly ports?: readonly { readonly containerPort?: number; readonly protocol?: string }[];
}

interface Spec {
  readonly selector?: unknown;
  readonly template?: {
    readonly metadata?: ApiObject['metadata'];
    readonly spec?: { readonly containers?: Container[] };
  };
  readonly containers?: readonly Container[];
  readonly ports?: readonly { readonly port: number; readonly protocol?: string }[];
}

interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: string[];
  }[];
}

type Labels = Readonly<Record<string, string>>;

/**
 * The data for a service that an object provides. It consists of the selector of the object's pods, and their ports.
 */
interface Exposed {
  /** @throws CommandError if labels cannot express the selector */
  readonly selector: (object: ApiObject) => Labels;
  readonly ports: (spec: Spec) => OwnPort[];
}

function specOf(object: ApiObject): Spec {
  return (object['spec'] ?? {}) as Spec;
}

function fail(why: string): never {
  throw new CommandError(`couldn't retrieve selectors via --selector flag or introspection: ${why}`);
}

function labelsOf(labels: Labels | undefined, why: string): Labels {
  return labels === undefined || Object.keys(labels).length === 0 ? fail(why) : labels;
}

function matchLabels(object: ApiObject): Labels {
  const selector = specOf(object).selector as LabelSelector | undefined;
  const expressions = selector?.matchExpressions ?? [];
  if (expressions.length > 0) {
    const shown = expressions.map(
      ({ key, operator, values = [] }) => `{Key:${key} Operator:${operator} Values:[${values.join(' ')}]}`,
    );
    fail(`couldn't convert expressions - "[${shown.join(' ')}]" to map-based selector format`);
  }
  return selector?.matchLabels ?? fail('invalid deployment: no selectors, therefore cannot be exposed');
}

const portsOf = (containers: readonly Container[] = []): OwnPort[] =>
  containers.flatMap(({ ports = [] }) =>
    ports.map(({ containerPort = 0, protocol = 'TCP' }) => ({ port: containerPort, protocol })),
  );

const templated: Exposed = { selector: matchLabels, ports: ({ template }) => portsOf(template?.spec?.containers) };

const kinds: ReadonlyMap<string, Exposed> = new Map([
  [
    'ReplicationController',
    {
      selector: (object) => (specOf(object).selector ?? {}) as Labels,
      ports: ({ template }) => portsOf(template?.spec?.containers),
    },
  ],
  [
    'Service',
    {
      selector: (object) =>
        labelsOf(specOf(object).selector as Labels | undefined, 'the service has no pod selector set'),
      ports: ({ ports = [] }) => ports.map(({ port, protocol = 'TCP' }) => ({ port, protocol })),
    },
  ],
  [
    'Pod',
    {
      selector: ({ metadata }) => labelsOf(metadata.labels, 'the pod has no labels and cannot be exposed'),
      ports: ({ containers }) => portsOf(containers),
    },
  ],
  ['Deployment.apps', templated],
  ['ReplicaSet.apps', templated],
]);

/** The rules for exposing objects of a kind. @throws CommandError if the kind cannot be exposed */
export function exposedKind(kind: string, group: string): Exposed {
  const name = inGroup(kind, group);
  const exposed = kinds.get(name);
  if (exposed === undefined) throw new CommandError(`cannot expose a ${name}`);
  return exposed;
}

/** The ports of an object by their number, each with its protocols in order. */
export function ownPorts(exposed: Exposed, object: ApiObject): ReadonlyMap<number, readonly string[]> {
  const byPort = new Map<number, string[]>();
  for (const { port, protocol } of exposed.ports(specOf(object))) {
    const protocols = byPort.get(port);
    if (protocols === undefined) byPort.set(port, [protocol]);
    else if (!protocols.includes(protocol)) protocols.push(protocol);
  }
  return byPort;
}
