/** The arguments that a command accepts. */
export interface Place {
  /** A type and names of its objects, as `type name` or as `type/name`. */
  readonly types?: 'all' | readonly string[];
  /** The name of an object of this type, as the first argument. */
  readonly names?: string;
  /**
   * The first argument is a pod, or an object that has pods. With `pod and container` the second is one of its
   * containers.
   */
  readonly pods?: 'pod' | 'pod and container';
  /** A name in the connection files, as the first argument. */
  readonly section?: 'contexts' | 'clusters' | 'users';
}

const rolled = ['deployment', 'daemonset', 'statefulset'];
const scaled = ['deployment', 'replicaset', 'replicationcontroller', 'statefulset'];
const exposed = ['pod', 'service', 'replicationcontroller', 'deployment', 'replicaset'];
const withImages = [
  ...['daemonsets', 'deployments', 'pods', 'cronjobs', 'replicasets', 'replicationcontrollers', 'statefulsets'],
];

/** Types that have pods, in the order in which they are proposed. */
export const withPods: readonly string[] = [
  ...['daemonsets', 'deployments', 'pods', 'jobs', 'replicasets', 'replicationcontrollers', 'services'],
  'statefulsets',
];

/** The kinds of arguments, by the words of commands. A command with special arguments completes them itself. */
export const places: Readonly<Record<string, Place>> = {
  ...Object.fromEntries(
    ['annotate', 'delete', 'describe', 'edit', 'get', 'history', 'label', 'patch', 'tree']
      .concat(['apply edit-last-applied', 'apply view-last-applied'])
      .map((path) => [path, { types: 'all' }]),
  ),
  ...Object.fromEntries(
    ['history', 'restart', 'status', 'undo'].map((subcommand) => [`rollout ${subcommand}`, { types: rolled }]),
  ),
  'rollout pause': { types: ['deployment'] },
  'rollout resume': { types: ['deployment'] },
  autoscale: { types: scaled },
  scale: { types: scaled },
  expose: { types: exposed },
  'set image': { types: withImages },
  taint: { types: ['node'] },
  cordon: { names: 'nodes' },
  drain: { names: 'nodes' },
  uncordon: { names: 'nodes' },
  'top node': { names: 'nodes' },
  'top pod': { names: 'pods' },
  'create token': { names: 'serviceaccounts' },
  attach: { pods: 'pod' },
  exec: { pods: 'pod' },
  logs: { pods: 'pod and container' },
  'port-forward': { pods: 'pod' },
  ...Object.fromEntries(
    ['delete-context', 'rename-context', 'set-context', 'use-context'].map((name) => [
      `config ${name}`,
      { section: 'contexts' },
    ]),
  ),
  'config delete-cluster': { section: 'clusters' },
  'config delete-user': { section: 'users' },
};
