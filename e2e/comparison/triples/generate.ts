import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { Random } from '../../hostile/random.ts';
import { object, type Triple } from './triple.ts';

/** Makes the value of a field. Undefined omits the field. */
type Draw = (random: Random) => JsonValue | undefined;

/** The probability that a file contains a field, and that a change of another writer contains it. */
const IN_FILE = 0.5;
const IN_CHANGE = 0.2;
/** What happens to a field of the first file in the next one. It remains, gets another value, or is absent. */
const STAYS = 0.5;
const IS_DRAWN = 0.75;

const one =
  (...values: readonly JsonValue[]): Draw =>
  (random) =>
    random.pick(values);

/** Chooses some of the values, each once, in any order. */
const some =
  (values: readonly JsonValue[], least = 0): Draw =>
  (random) => {
    const left = [...values];
    const taken: JsonValue[] = [];
    const wanted = least + random.below(values.length - least + 1);
    while (taken.length < wanted) taken.push(...left.splice(random.below(left.length), 1));
    return taken;
  };

/** Chooses some of the items with these keys, in any order, with random other fields. */
const keyed =
  (keys: readonly JsonObject[], fields: Readonly<Record<string, Draw>>, least = 0): Draw =>
  (random) =>
    (some(keys, least)(random) as JsonObject[]).map((key) => ({ ...key, ...drawn(fields, random, IN_FILE) }));

/** Chooses one of several shapes, which are members of a union. */
const either =
  (...shapes: readonly Readonly<Record<string, Draw>>[]): Draw =>
  (random) =>
    drawn(random.pick(shapes), random, 1);

const map =
  (...names: readonly string[]): Draw =>
  (random) =>
    Object.fromEntries((some(names)(random) as string[]).map((name) => [name, random.pick(['1', '2'])]));

const names = (...given: readonly string[]): JsonObject[] => given.map((name) => ({ name }));

function drawn(fields: Readonly<Record<string, Draw>>, random: Random, chance: number): JsonObject {
  const made: JsonObject = {};
  for (const [name, draw] of Object.entries(fields)) {
    const value = random.chance(chance) ? draw(random) : undefined;
    if (value !== undefined) made[name] = value;
  }
  return made;
}

const METADATA = { labels: map('a', 'b', 'x'), annotations: map('a', 'b', 'x') };

const ANY_CONTAINER = {
  args: some(['1', '2', '3']),
  command: some(['1', '2', '3']),
  env: keyed(names('A', 'B', 'C'), { value: one('1', '2') }),
  envFrom: some([{ configMapRef: { name: 'm' } }, { secretRef: { name: 's' } }]),
  ports: keyed([{ containerPort: 1 }, { containerPort: 2 }, { containerPort: 3 }], { hostIP: one('10.0.0.1') }),
  resources: one({ limits: { cpu: '1' } }, { limits: { cpu: '1', memory: '1Gi' } }, { requests: { cpu: '100m' } }),
  volumeMounts: keyed(
    ['/a', '/b', '/c'].map((mountPath) => ({ mountPath, name: 'base' })),
    { readOnly: one(true), subPath: one('a', 'b') },
  ),
  securityContext: one({ capabilities: { add: ['A', 'B'] } }, { runAsUser: 1 }, { privileged: false }),
  imagePullPolicy: one('Always', 'Never'),
};

const CONTAINER = {
  ...ANY_CONTAINER,
  livenessProbe: one({ httpGet: { port: 1 } }, { httpGet: { port: 1, path: '/a' }, periodSeconds: 3 }),
};

const POD = {
  initContainers: keyed(
    [
      { name: 'i', image: 'i' },
      { name: 'j', image: 'i' },
    ],
    ANY_CONTAINER,
  ),
  volumes: (random: Random) =>
    (some(names('v', 'w', 'x'))(random) as JsonObject[]).map((key) => ({
      ...key,
      ...random.pick<JsonObject>([
        { emptyDir: {} },
        { emptyDir: { medium: 'Memory' } },
        { configMap: { name: 'm' } },
        { secret: { secretName: 's' } },
        { hostPath: { path: '/a' } },
      ]),
    })),
  nodeSelector: map('a', 'b'),
  tolerations: some([{ key: 'a', operator: 'Exists' }, { operator: 'Exists' }]),
  imagePullSecrets: some(names('a', 'b', 'c')),
  hostAliases: keyed([{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], { hostnames: some(['a', 'b', 'c'], 1) }),
  terminationGracePeriodSeconds: one(1, 2),
  dnsConfig: either({ nameservers: some(['10.0.0.1', '10.0.0.2']), searches: some(['a', 'b']) }),
  priorityClassName: one(''),
  readinessGates: some([{ conditionType: 'A' }, { conditionType: 'B' }]),
};

const CONTAINERS: Draw = (random) =>
  keyed(
    names('a', 'b', 'c').map((key) => ({ ...key, image: random.pick(['i', 'j']) })),
    CONTAINER,
    1,
  )(random);

const DEPLOYMENT = {
  replicas: one(1, 2, 0),
  minReadySeconds: one(0, 1),
  revisionHistoryLimit: one(1, 2),
  paused: one(true, false),
  strategy: either(
    { type: one('Recreate') },
    { type: one('RollingUpdate') },
    { type: one('RollingUpdate'), rollingUpdate: one({ maxSurge: 1 }, { maxSurge: '50%', maxUnavailable: 0 }) },
  ),
};

const SERVICE = {
  type: one('ClusterIP', 'NodePort'),
  selector: map('a', 'b'),
  sessionAffinity: one('None', 'ClientIP'),
  externalIPs: some(['10.1.0.1', '10.1.0.2', '10.1.0.3']),
  publishNotReadyAddresses: one(true, false),
};
const PORTS = keyed(
  [1, 2, 3].map((port) => ({ name: `p${port}`, port })),
  { targetPort: one(5, 'a'), protocol: one('TCP', 'UDP') },
  1,
);

/** Any value of a kind that users define. */
function anything(random: Random, depth = 0): JsonValue {
  return random.weighed<JsonValue>(
    [3, () => random.pick<JsonValue>([1, 'a', true, '', 0, 1.5])],
    [depth < 3 ? 2 : 0, () => Array.from({ length: random.below(3) }, () => anything(random, depth + 1))],
    [
      depth < 3 ? 4 : 0,
      () =>
        Object.fromEntries(
          (some(['a', 'b', 'c'])(random) as string[]).map((name) => [name, anything(random, depth + 1)]),
        ),
    ],
  );
}

/** The parts of an object. Each part remains, changes or disappears independently. */
interface Shape {
  readonly parts: Readonly<Record<string, Readonly<Record<string, Draw>>>>;
  /** Makes an object with these parts. With `whole`, it has everything that a file must have. */
  readonly put: (parts: Readonly<Record<string, JsonObject>>, whole: boolean, random: Random) => JsonObject;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'a deployment': {
    parts: { metadata: METADATA, spec: DEPLOYMENT, pod: { ...POD, containers: CONTAINERS } },
    put: ({ metadata, spec, pod }, whole, random) => {
      const labels = { app: 'a' };
      const containers = whole && pod?.['containers'] === undefined ? { containers: CONTAINERS(random)! } : {};
      // The mounts of containers need these objects.
      const volumes = whole
        ? { volumes: [{ name: 'base', emptyDir: {} }, ...((pod?.['volumes'] ?? []) as JsonValue[])] }
        : {};
      const template = { ...(whole && { metadata: { labels } }), spec: { ...pod, ...containers, ...volumes } };
      const rest = { spec: { ...(whole && { selector: { matchLabels: labels } }), ...spec, template } };
      return whole ? object('apps/v1', 'Deployment', rest, metadata) : { ...rest, metadata: metadata! };
    },
  },
  'a service': {
    parts: { metadata: METADATA, spec: { ...SERVICE, ports: PORTS } },
    put: ({ metadata, spec }, whole, random) => {
      const ports = whole && spec?.['ports'] === undefined ? { ports: PORTS(random)! } : {};
      const rest = { spec: { ...spec, ...ports } };
      return whole ? object('v1', 'Service', rest, metadata) : { ...rest, metadata: metadata! };
    },
  },
  'a config map': {
    parts: {
      metadata: METADATA,
      root: { data: map('a', 'b', 'c', 'd'), binaryData: one({ e: 'AA==' }, { f: 'AA==' }) },
    },
    put: ({ metadata, root }, whole) =>
      whole ? object('v1', 'ConfigMap', root!, metadata) : { ...root, metadata: metadata! },
  },
  'a custom object': {
    parts: { metadata: METADATA, spec: { a: anything, b: anything, c: anything, d: anything } },
    put: ({ metadata, spec }, whole) =>
      whole ? object('example.com/v1', 'Free', { spec: spec! }, metadata) : { spec: spec!, metadata: metadata! },
  },
};

/**
 * The triple with this number. The same seed makes the same triple. Other writers never change `strategy` and
 * `volumes`, because the server refuses a patch that adds another member to such a union.
 */
export function generateTriple(seed: number, number: number): Triple {
  const random = new Random(seed, number);
  const [name, { parts, put }] = random.pick(Object.entries(SHAPES));
  const every = (make: (fields: Readonly<Record<string, Draw>>, part: string) => JsonObject) =>
    Object.fromEntries(Object.entries(parts).map(([part, fields]) => [part, make(fields, part)]));
  const first = every((fields) => drawn(fields, random, IN_FILE));
  const changes = every(({ strategy: _strategy, volumes: _volumes, ...fields }) => drawn(fields, random, IN_CHANGE));
  const second = every((fields, part) => {
    const next: JsonObject = {};
    for (const [field, draw] of Object.entries(fields)) {
      const fate = random.next();
      const before = first[part]![field];
      const value = fate < STAYS ? before : fate < IS_DRAWN ? draw(random) : undefined;
      if (value !== undefined) next[field] = value;
    }
    return next;
  });
  return {
    what: `${name}, number ${number} of seed ${seed}`,
    file: put(first, true, random),
    ...(random.chance(0.8) && { change: put(changes, false, random) }),
    next: put(second, true, random),
  };
}
