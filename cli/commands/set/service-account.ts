import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { recordFlag } from '../../write/change-cause.ts';
import { changeObjects, setFlags } from './change-objects.ts';
import { podSpecOf } from './containers.ts';

export const setServiceAccount: Command = {
  name: 'serviceaccount',
  aliases: ['sa'],
  short: 'Update the service account of a resource',
  examples: '# Set the service account of the pods of a deployment\n{} set serviceaccount deployment/web robot',
  usage: '(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT',
  flags: [...setFlags, recordFlag],
  run: async (invocation) => {
    const account = invocation.args.at(-1);
    if (account === undefined) throw new CommandError('serviceaccount is required');
    return changeObjects(invocation, invocation.args.slice(0, -1), {
      done: 'serviceaccount updated',
      failure: 'failed to patch ServiceAccountName',
      always: true,
      apply: (object, one) => {
        const pods = podSpecOf(object, one);
        if (account === '') delete pods.serviceAccountName;
        else pods.serviceAccountName = account;
      },
    });
  },
};
