import { CommandError } from '../../framework/errors.ts';

/** A local file (`pod` is ''), or a file in a container. */
export interface FileSpec {
  readonly namespace: string;
  readonly pod: string;
  readonly file: string;
}

/** Parses `PATH`, `POD:PATH` or `NAMESPACE/POD:PATH`. @throws CommandError if the text is malformed */
export function parseFileSpec(text: string): FileSpec {
  const at = text.indexOf(':');
  if (at < 0) return { namespace: '', pod: '', file: text };
  const parts = text.slice(0, at).split('/');
  if (at === 0 || parts.length > 2)
    throw new CommandError('filespec must match the canonical format: [[namespace/]pod:]file/path');
  const [pod = '', namespace = ''] = parts.reverse();
  return { namespace, pod, file: text.slice(at + 1) };
}
