import type { Comparison } from './comparison.ts';

const GROUP = 'rbac.authorization.k8s.io';
const role = (rules: string) => `apiVersion: ${GROUP}/v1\nkind: Role\nmetadata: {name: r}\nrules: ${rules}\n`;
const binding = (roleName: string, subjects: string) =>
  `apiVersion: ${GROUP}/v1\nkind: RoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: ${GROUP}, kind: Role, name: ${roleName}}\nsubjects: ${subjects}\n`;
const pods = (verbs: string) => `[{apiGroups: [""], resources: [pods], verbs: ${verbs}}]`;
const user = (name: string) => `[{kind: User, name: ${name}, apiGroup: ${GROUP}}]`;
const both = `${role(pods('[get, list]'))}---\n${binding('r', user('u'))}`;
const clusterRole = `apiVersion: ${GROUP}/v1\nkind: ClusterRole\nmetadata: {name: basic-reading}\nrules:\n- {nonResourceURLs: [/x, /y], verbs: [get]}\n- {apiGroups: [apps, ""], resources: [a, b/c], resourceNames: [it], verbs: [get]}\n`;

/** Roles and bindings, and the actions that they allow. */
export const accessLines: readonly Comparison[] = [
  ...['auth', 'auth reconcile', 'auth reconcile x', 'auth reconcile -f nope', 'auth foo'].map((line) => ({ line })),
  { line: 'auth reconcile -f - --dry-run=client', input: both },
  { line: 'auth reconcile -f - --dry-run=client -o yaml', input: clusterRole },
  { line: 'auth reconcile -f - --dry-run=client', input: clusterRole },
  { line: 'auth reconcile -f - --dry-run=server', input: both },
  { line: 'auth reconcile -f -', input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n' },
  { line: 'auth reconcile -f -', input: '' },
  { line: 'auth reconcile -f - -o x', input: both },
  {
    line: 'auth reconcile -f -',
    input: both,
    before: [],
    meant: 'the other program loses the namespace that files leave out',
  },
];
