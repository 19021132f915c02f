import { type Command, entryOf } from '../frame/command.ts';
import { setEnv } from '../set/env.ts';
import { setImage } from '../set/image.ts';
import { setResources } from '../set/resources.ts';
import { setSelector } from '../set/selector.ts';
import { setServiceAccount } from '../set/service-account.ts';
import { setSubject } from '../set/subject.ts';

export const set: Command = {
  name: 'set',
  short: 'Set specific features on objects',
  long: 'Configure application resources.\n\n These commands help you make changes to existing application resources.',
  usage: 'SUBCOMMAND',
  needsSubcommand: true,
  subcommands: [setEnv, setImage, setResources, setSelector, setServiceAccount, setSubject].map(entryOf),
};
