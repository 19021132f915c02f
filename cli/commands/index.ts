import type { CommandEntry } from '../frame/command.ts';

/** All commands, in the order of the program's help. A call loads the code of its own command only. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'create',
    short: 'Create a resource from a file or from stdin',
    group: 'Basic Commands (Beginner)',
    load: async () => (await import('./create.ts')).create,
  },
  {
    name: 'explain',
    short: 'Get documentation for a resource',
    group: 'Basic Commands (Intermediate)',
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'get',
    short: 'Display one or many resources',
    group: 'Basic Commands (Intermediate)',
    load: async () => (await import('./get.ts')).get,
  },
  {
    name: 'cluster-info',
    short: 'Display cluster information',
    group: 'Cluster Management Commands',
    load: async () => (await import('./cluster-info.ts')).clusterInfo,
  },
  {
    name: 'history',
    short: 'Show the versions of an object that are still kept, who wrote them and what they changed',
    group: 'Troubleshooting and Debugging Commands',
    load: async () => (await import('./history.ts')).history,
  },
  {
    name: 'tree',
    short: 'Show what owns an object, and what belongs to it',
    group: 'Troubleshooting and Debugging Commands',
    load: async () => (await import('./tree.ts')).tree,
  },
  {
    name: 'who-can',
    short: 'Show who may do something, as roles and their bindings tell',
    group: 'Troubleshooting and Debugging Commands',
    load: async () => (await import('./who-can.ts')).whoCan,
  },
  {
    name: 'describe',
    short: 'Show details of a specific resource or group of resources',
    group: 'Troubleshooting and Debugging Commands',
    load: async () => (await import('./describe.ts')).describe,
  },
  {
    name: 'apply',
    short: 'Apply a configuration to a resource by file name or stdin',
    group: 'Advanced Commands',
    load: async () => (await import('./apply.ts')).apply,
  },
  {
    name: 'delete',
    short: 'Delete resources by file names, stdin, resources and names, or by resources and label selector',
    group: 'Basic Commands (Intermediate)',
    load: async () => (await import('./delete.ts')).deleteCommand,
  },
  {
    name: 'scale',
    short: 'Set a new size for a deployment, replica set, or replication controller',
    group: 'Deploy Commands',
    load: async () => (await import('./scale.ts')).scale,
  },
  {
    name: 'patch',
    short: 'Update fields of a resource',
    group: 'Advanced Commands',
    load: async () => (await import('./patch.ts')).patch,
  },
  {
    name: 'replace',
    short: 'Replace a resource by file name or stdin',
    group: 'Advanced Commands',
    load: async () => (await import('./replace.ts')).replace,
  },
  {
    name: 'label',
    short: 'Update the labels on a resource',
    group: 'Settings Commands',
    load: async () => (await import('./label.ts')).label,
  },
  {
    name: 'annotate',
    short: 'Update the annotations on a resource',
    group: 'Settings Commands',
    load: async () => (await import('./annotate.ts')).annotate,
  },
  {
    name: 'completion',
    short: 'Output shell completion code for the specified shell (bash, zsh, fish, or powershell)',
    group: 'Settings Commands',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    name: 'api-resources',
    short: 'Print the supported API resources on the server',
    group: 'Other Commands',
    load: async () => (await import('./api-resources.ts')).apiResources,
  },
  {
    name: 'api-versions',
    short: 'Print the supported API versions on the server, in the form of "group/version"',
    group: 'Other Commands',
    load: async () => (await import('./api-versions.ts')).apiVersions,
  },
  {
    name: 'config',
    short: 'Modify kubeconfig files',
    group: 'Other Commands',
    load: async () => (await import('./config.ts')).config,
  },
  {
    name: 'plugin',
    short: 'Provides utilities for interacting with plugins',
    group: 'Other Commands',
    load: async () => (await import('./plugin.ts')).plugin,
  },
  {
    name: 'version',
    short: 'Print the client and server version information',
    group: 'Other Commands',
    load: async () => (await import('./version.ts')).version,
  },
  {
    name: '__complete',
    short: 'Print what may come next, for shells',
    hidden: true,
    load: async () => (await import('./completion.ts')).complete,
  },
  {
    name: 'options',
    short: 'List the flags that every command takes',
    hidden: true,
    load: async () => (await import('./options.ts')).options,
  },
];
