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
    ' The program reads these files:',
    '',
    '  1.  With --kubeconfig, only the file that the flag names.',
    '  2.  Otherwise the files in $ORCHCONFIG (or in the usual variable of the field), merged. The program changes an entry in the file that contains it, and adds a new entry to the first file that exists.',
    '  3.  Otherwise the file in the home folder.',
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
