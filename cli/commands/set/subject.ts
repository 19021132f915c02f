import { jsonEqual } from '#base/json/json-equal.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { labelSelectorFlag } from '../../resources/flags.ts';
import { changeObjects, setFlags } from './change-objects.ts';

type Subject = Readonly<Record<'kind' | 'name', string>> & { readonly apiGroup?: string; readonly namespace?: string };

export const setSubject: Command = {
  name: 'subject',
  short: 'Update the user, group, or service account in a role binding or cluster role binding',
  examples: [
    '# Bind a role to another user and group, and to a service account',
    '{} set subject rolebinding readers --user=jane --group=team',
    '{} set subject clusterrolebinding admins --serviceaccount=team-a:robot',
  ].join('\n'),
  usage:
    '(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]',
  flags: [
    ...setFlags,
    { name: 'group', type: 'texts', help: 'Groups to bind the role to' },
    labelSelectorFlag,
    { name: 'serviceaccount', type: 'texts', help: 'Service accounts to bind the role to: namespace:name' },
    { name: 'user', type: 'texts', help: 'Users to bind the role to' },
  ],
  run: async (invocation) => {
    const { args, flags, session } = invocation;
    const named = (flag: string) => flags.list(flag).filter(Boolean);
    const accounts = named('serviceaccount').map((text) => {
      const [namespace = '', name = '', ...rest] = text.split(':');
      return { text, namespace, name, right: rest.length === 0 && namespace !== '' && name !== '' };
    });
    return changeObjects(invocation, args, {
      done: 'subjects updated',
      failure: 'failed to patch subjects to rolebinding:',
      begin: () => {
        if (named('user').length + named('group').length + accounts.length === 0)
          throw new CommandError('you must specify at least one value of user, group or serviceaccount');
        if (accounts.some(({ right }) => !right)) throw new CommandError('serviceaccount must be <namespace>:<name>');
      },
      apply: async (object, { type }) => {
        if (!['RoleBinding', 'ClusterRoleBinding'].includes(type.kind))
          throw new CommandError(
            `${type.plural}/${object.metadata.name} setting subjects is only supported for RoleBinding/ClusterRoleBinding`,
          );
        const apiGroup = (await session.naming()).group('rbac.authorization');
        const binding = object as ApiObject & { subjects?: Subject[] | null };
        const subjects = [...(binding.subjects ?? [])];
        const wanted: Subject[] = [
          ...named('user').map((name) => ({ kind: 'User', apiGroup, name })),
          ...named('group').map((name) => ({ kind: 'Group', apiGroup, name })),
          ...accounts.map(({ namespace, name }) => ({ kind: 'ServiceAccount', namespace, name })),
        ];
        for (const subject of wanted)
          if (!subjects.some((each) => jsonEqual(each as never, subject as never))) subjects.push(subject);
        if (subjects.length > 0) binding.subjects = subjects;
      },
    });
  },
};
