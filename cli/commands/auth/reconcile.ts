import { jsonEqual } from '#base/json/json-equal.ts';
import { grants, type Rule } from '#client/access/grants.ts';
import { isNotFound } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import { dryRunFlag, fileFlags, namesFiles } from '../../resources/flags.ts';
import { select, type Target } from '../../resources/selection.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';

interface Subject {
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** A role or a binding. */
type RbacObject = ApiObject & {
  rules?: readonly Rule[] | null;
  subjects?: readonly Subject[] | null;
  roleRef?: object;
};

/** The operation that makes an object equal to its file, and the rules or subjects that the report lists. */
interface Reconciled {
  readonly object: RbacObject;
  readonly operation?: 'create' | 'update' | 'recreate';
  readonly missing: readonly (Rule | Subject)[];
  readonly extra: readonly (Rule | Subject)[];
}

export const reconcile: Command = {
  name: 'reconcile',
  short: 'Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects',
  long: 'Adds the permissions in files to roles, and the subjects in files to bindings. Other permissions and subjects stay, unless a flag removes them.\n\n Missing namespaces are created. Unlike apply, the command compares what rules allow: it does not add a permission that another rule already gives.',
  examples: [
    '# Add the permissions and subjects in a file; then also remove all others',
    '{} auth reconcile -f rbac.yaml',
    '{} auth reconcile -f rbac.yaml --remove-extra-subjects --remove-extra-permissions',
  ].join('\n'),
  usage: '-f FILENAME',
  flags: [
    dryRunFlag,
    ...fileFlags,
    ...outputFlags(),
    { name: 'remove-extra-permissions', type: 'bool', help: 'Remove permissions that are not in the files' },
    { name: 'remove-extra-subjects', type: 'bool', help: 'Remove subjects that are not in the files' },
  ],
  run,
};

const KINDS = ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'];

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, session, io } = invocation;
  if (!namesFiles(flags)) throw new CommandError('must specify one of -f and -k');
  const dryRun = dryRunOf(invocation);
  if (dryRun === 'server') throw new CommandError('--dry-run=server for command reconcile is not supported yet');
  const report = await reporter(invocation, dryRun, true);
  const selection = await select(session, flags, { args: [] });
  const errors: unknown[] = [...selection.errors];
  const group = (await session.naming()).group('rbac.authorization');
  for (const target of selection.targets) {
    if (target.type.group !== group || !KINDS.includes(target.type.kind)) continue;
    try {
      const done = await reconcileOne(invocation, target, dryRun === 'client');
      report(done.object, target.type, 'reconciled');
      io.err.write(account(done, target.type.kind));
    } catch (error) {
      io.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwAll(errors);
  return undefined;
}

async function reconcileOne(invocation: Invocation, target: Target, dry: boolean): Promise<Reconciled> {
  const { flags, session } = invocation;
  const { type, namespace, name = '' } = target;
  const wanted = target.object as RbacObject;
  const resource = (await session.client()).resource(type).in(namespace);
  const options = await writeOptions(invocation, '', 'none');
  const present = (await resource.get(name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  })) as RbacObject | undefined;
  const isRole = type.kind.endsWith('Role');
  const all = (isRole ? wanted.rules : wanted.subjects) ?? [];
  if (present === undefined) {
    if (!dry && namespace !== undefined) await ensureNamespace(invocation, namespace);
    const object = dry ? undated(wanted) : await resource.create(wanted, options);
    return { object, operation: 'create', missing: all, extra: [] };
  }
  if (!isRole && !jsonEqual(present.roleRef as never, wanted.roleRef as never)) {
    // The role of a binding cannot be changed.
    if (dry) return { object: undated(wanted), operation: 'recreate', missing: [], extra: [] };
    await resource.delete(name, { preconditions: { uid: present.metadata.uid } });
    return { object: await resource.create(wanted, options), operation: 'recreate', missing: [], extra: [] };
  }
  const { changed, missing, extra } = isRole
    ? withRules(present, wanted, flags.bool('remove-extra-permissions'))
    : withSubjects(present, wanted, flags.bool('remove-extra-subjects'));
  const removes = flags.bool(isRole ? 'remove-extra-permissions' : 'remove-extra-subjects');
  const reported = { missing, extra: removes ? extra : [] };
  if (jsonEqual(changed as never, present as never)) return { object: present, ...reported };
  const object = dry ? changed : await resource.update(changed, options);
  return { object, operation: 'update', ...reported };
}

function undated(object: RbacObject): RbacObject {
  return { ...object, metadata: { ...object.metadata, creationTimestamp: null as never } };
}

async function ensureNamespace({ session }: Invocation, name: string): Promise<void> {
  const type = (await session.typeNamed('namespaces'))!;
  const namespaces = (await session.client()).resource(type);
  const there = await namespaces.get(name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (there === undefined) await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

interface Changed {
  readonly changed: RbacObject;
  readonly missing: readonly (Rule | Subject)[];
  readonly extra: readonly (Rule | Subject)[];
}

function withRules(present: RbacObject, wanted: RbacObject, removeExtra: boolean): Changed {
  const [have, want] = [present.rules ?? [], wanted.rules ?? []];
  const missing = uncovered(have, want);
  const extra = uncovered(want, have);
  const rules = removeExtra && extra.length > 0 ? want : missing.length > 0 ? [...have, ...missing] : present.rules;
  const changed = { ...withMarks(present, wanted), ...(rules === undefined ? {} : { rules }) };
  return { changed, missing, extra };
}

/** The permissions of `asked` that the rules do not grant, as rules with one verb and one resource each. */
function uncovered(rules: readonly Rule[], asked: readonly Rule[]): Rule[] {
  return asked.flatMap(single).filter((rule) => {
    const [verb] = rule.verbs ?? [''];
    const [path] = rule.nonResourceURLs ?? [];
    if (path !== undefined) return !grants(rules, { verb: verb!, path });
    const [group, resource, name] = [rule.apiGroups![0]!, rule.resources![0]!, rule.resourceNames?.[0]];
    return !grants(rules, { verb: verb!, group, resource, ...(name === undefined ? {} : { name }) });
  });
}

function single({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Rule[] {
  const rules: Rule[] = [];
  for (const group of apiGroups ?? [])
    for (const resource of resources ?? [])
      for (const verb of verbs ?? []) {
        const rule = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (!resourceNames?.length) rules.push(rule);
        else for (const name of resourceNames) rules.push({ ...rule, resourceNames: [name] });
      }
  for (const url of nonResourceURLs ?? [])
    for (const verb of verbs ?? []) rules.push({ verbs: [verb], nonResourceURLs: [url] });
  return rules;
}

function withSubjects(present: RbacObject, wanted: RbacObject, removeExtra: boolean): Changed {
  const [have, want] = [present.subjects ?? [], wanted.subjects ?? []];
  const without = (list: readonly Subject[], others: readonly Subject[]) =>
    list.filter((one) => !others.some((other) => sameSubject(one, other)));
  const missing = without(want, have);
  const extra = without(have, want);
  const subjects =
    removeExtra && extra.length > 0 ? want : missing.length > 0 ? [...have, ...missing] : present.subjects;
  const changed = { ...withMarks(present, wanted), ...(subjects === undefined ? {} : { subjects }) };
  return { changed, missing, extra };
}

function sameSubject(one: Subject, other: Subject): boolean {
  return (['kind', 'apiGroup', 'name', 'namespace'] as const).every(
    (field) => (one[field] ?? '') === (other[field] ?? ''),
  );
}

/** The object with its own labels and annotations, and those of the file. The file has priority. */
function withMarks(present: RbacObject, { metadata: { labels, annotations } }: RbacObject): RbacObject {
  const metadata = { ...present.metadata };
  if (labels !== undefined) metadata.labels = { ...metadata.labels, ...labels };
  if (annotations !== undefined) metadata.annotations = { ...metadata.annotations, ...annotations };
  return { ...present, metadata };
}

/** The text of the changes, in lines below the object's line. */
function account({ operation, missing, extra }: Reconciled, kind: string): string {
  const what = kind.endsWith('Role') ? 'rules' : 'subjects';
  const list = (title: string, items: readonly (Rule | Subject)[]) =>
    items.length === 0
      ? []
      : [
          `\t${title}:`,
          ...items.map(
            (item) => `\t\t${kind.endsWith('Role') ? ruleText(item as Rule) : subjectText(item as Subject)}`,
          ),
        ];
  const lines = [
    ...(operation === undefined ? [] : [`\treconciliation required ${operation}`]),
    ...(operation === undefined ? [] : list(`missing ${what} added`, missing)),
    ...(operation === undefined ? [] : list(`extra ${what} removed`, extra)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string {
  const list = (values: readonly string[] | null | undefined) => `[${(values ?? []).join(' ')}]`;
  return `{Verbs:${list(verbs)} APIGroups:${list(apiGroups)} Resources:${list(resources)} ResourceNames:${list(resourceNames)} NonResourceURLs:${list(nonResourceURLs)}}`;
}

function subjectText({ kind = '', apiGroup = '', name = '', namespace = '' }: Subject): string {
  return `{Kind:${kind} APIGroup:${apiGroup} Name:${name} Namespace:${namespace}}`;
}
