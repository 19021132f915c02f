import { type Command, entryOf } from '../../command-line/command.ts';
import { currentContext, getContexts, renameContext, setContext, useContext } from './contexts.ts';
import {
  deleteCluster,
  deleteContext,
  deleteUser,
  getClusters,
  getUsers,
  set,
  setCluster,
  setCredentials,
  unset,
} from './entries.ts';
import { view } from './view.ts';

export const config: Command = {
  name: 'config',
  short: 'Modify connection files',
  needsSubcommand: true,
  long: [
    'Modify connection files using subcommands like "{} config set current-context my-context".',
    '',
    ' Which files these are:',
    '',
    '  1.  With --kubeconfig that one alone.',
    '  2.  Else those that $ORCHCONFIG (or the variable of the field) lists, as one: an entry is changed in the file that has it, a new one is put into the first that is there.',
    '  3.  Else the one in the home folder.',
  ].join('\n'),
  subcommands: [
    currentContext,
    deleteCluster,
    deleteContext,
    deleteUser,
    getClusters,
    getContexts,
    getUsers,
    renameContext,
    set,
    setCluster,
    setContext,
    setCredentials,
    unset,
    useContext,
    view,
  ].map(entryOf),
};
