import { type Command, entryOf } from '../../command-line/command.ts';
import { setEnv } from './env.ts';
import { setImage } from './image.ts';
import { setResources } from './resources.ts';
import { setSelector } from './selector.ts';
import { setServiceAccount } from './service-account.ts';
import { setSubject } from './subject.ts';

export const set: Command = {
  name: 'set',
  short: 'Set specific features on objects',
  long: 'Configure application resources.\n\n These commands help you make changes to existing application resources.',
  usage: 'SUBCOMMAND',
  needsSubcommand: true,
  subcommands: [setEnv, setImage, setResources, setSelector, setServiceAccount, setSubject].map(entryOf),
};
