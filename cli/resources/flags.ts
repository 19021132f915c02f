import { CommandError } from '../framework/errors.ts';
import type { Flag, Flags } from '../framework/flag.ts';

/** `-f`, `-k` and `-R`: objects from files. */
export const fileFlags: readonly Flag[] = [
  {
    name: 'filename',
    short: 'f',
    type: 'strings',
    help: 'File, folder, URL or - (standard input) that holds the objects',
  },
  {
    name: 'kustomize',
    short: 'k',
    type: 'string',
    help: 'Folder with a kustomization.yaml, which the objects are built from',
  },
  { name: 'recursive', short: 'R', type: 'bool', help: 'Also read the folders in folders named with -f' },
];

/** Whether the objects come from files. */
export function namesFiles(flags: Flags): boolean {
  return flags.list('filename').length > 0 || (flags.knows('kustomize') && flags.text('kustomize') !== '');
}

/** Checks that the objects come from files if the command works without a server. @throws CommandError */
export function needFilesIfLocal(flags: Flags): void {
  if (flags.bool('local') && !namesFiles(flags))
    throw new CommandError(
      "you must specify resources by --filename when --local is set.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'",
    );
}

export const labelSelectorFlag: Flag = {
  name: 'selector',
  short: 'l',
  type: 'string',
  help: 'Labels that the objects must have: key=value, key!=value, key in (a,b), key, !key; all of them, between commas',
};

export const fieldSelectorFlag: Flag = {
  name: 'field-selector',
  type: 'string',
  help: 'Fields that the objects must have: key=value, key!=value; which ones there are depends on the type',
};

export const allNamespacesFlag: Flag = {
  name: 'all-namespaces',
  short: 'A',
  type: 'bool',
  help: 'Objects of all namespaces, whatever --namespace says',
};

export const chunkSizeFlag: Flag = {
  name: 'chunk-size',
  type: 'int',
  default: 500,
  help: 'Ask for long lists in parts of this many; 0 for all at once',
};

export const allFlag: Flag = { name: 'all', type: 'bool', help: 'All objects of the types that are named' };

export const localFlag: Flag = { name: 'local', type: 'bool', help: 'Change what files hold, without a server' };

/** For editors that need these line endings. */
export const windowsFlag: Flag = {
  name: 'windows-line-endings',
  type: 'bool',
  help: 'Have lines in the editor end as on Windows; how they are saved does not matter',
};

/** `--dry-run`: none, server or client. */
export const dryRunFlag: Flag = {
  name: 'dry-run',
  type: 'string',
  default: 'none',
  optional: 'unchanged',
  help: 'none, client (print what would be sent) or server (send it, but have nothing stored)',
};

export const fieldManagerFlag = (manager: string): Flag => ({
  name: 'field-manager',
  type: 'string',
  default: manager,
  help: 'Name under which the fields that are written are managed',
});

export const validateFlag: Flag = {
  name: 'validate',
  type: 'string',
  default: 'strict',
  optional: 'strict',
  help: 'What becomes of unknown and repeated fields: strict or true (refused), warn, ignore or false',
};
