import { CommandError } from '../framework/errors.ts';
import type { Flag, Flags } from '../framework/flag.ts';

/** The flags `-f`, `-k` and `-R`, which name files of objects. */
export const fileFlags: readonly Flag[] = [
  {
    name: 'filename',
    short: 'f',
    type: 'strings',
    help: 'File, folder, URL or - (standard input) with the objects',
  },
  {
    name: 'kustomize',
    short: 'k',
    type: 'string',
    help: 'Folder with a kustomization.yaml to build the objects from',
  },
  { name: 'recursive', short: 'R', type: 'bool', help: 'Read also the subfolders of folders that -f names' },
];

/** Whether the objects come from files. */
export function namesFiles(flags: Flags): boolean {
  return flags.list('filename').length > 0 || (flags.knows('kustomize') && flags.text('kustomize') !== '');
}

/**
 * Checks that the objects come from files if the command works without a server.
 * @throws CommandError if they do not
 */
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
  help: 'Label selector: key=value, key!=value, key in (a,b), key, !key; with commas, all must match',
};

export const fieldSelectorFlag: Flag = {
  name: 'field-selector',
  type: 'string',
  help: 'Field selector: key=value, key!=value; the supported fields depend on the type',
};

export const allNamespacesFlag: Flag = {
  name: 'all-namespaces',
  short: 'A',
  type: 'bool',
  help: 'Use all namespaces; --namespace then has no effect',
};

export const chunkSizeFlag: Flag = {
  name: 'chunk-size',
  type: 'int',
  default: 500,
  help: 'Number of objects in one request for a long list; 0 requests the whole list at once',
};

export const allFlag: Flag = { name: 'all', type: 'bool', help: 'Select all objects of the given types' };

export const localFlag: Flag = {
  name: 'local',
  type: 'bool',
  help: 'Change only the content of files, without a server',
};

/** The flag for Windows line endings, which some editors need. */
export const windowsFlag: Flag = {
  name: 'windows-line-endings',
  type: 'bool',
  help: 'Use Windows line endings in the editor; the saved file may have any line endings',
};

/** The flag `--dry-run` with the values none, server and client. */
export const dryRunFlag: Flag = {
  name: 'dry-run',
  type: 'string',
  default: 'none',
  optional: 'unchanged',
  help: 'none, client (print, but send nothing) or server (send, but the server stores nothing)',
};

export const fieldManagerFlag = (manager: string): Flag => ({
  name: 'field-manager',
  type: 'string',
  default: manager,
  help: 'Name of the manager of the fields that the command writes',
});

export const validateFlag: Flag = {
  name: 'validate',
  type: 'string',
  default: 'strict',
  optional: 'strict',
  help: 'How to treat unknown and duplicate fields: strict or true (error), warn, ignore or false',
};
