import { CommandError } from '../../framework/errors.ts';

/** A file here (`pod` is ''), or in a container. */
export interface FileSpec {
  readonly namespace: string;
  readonly pod: string;
  readonly file: string;
}

/** `PATH`, `POD:PATH` or `NAMESPACE/POD:PATH`. @throws CommandError */
export function parseFileSpec(text: string): FileSpec {
  const at = text.indexOf(':');
  if (at < 0) return { namespace: '', pod: '', file: text };
  const parts = text.slice(0, at).split('/');
  if (at === 0 || parts.length > 2)
    throw new CommandError('filespec must match the canonical format: [[namespace/]pod:]file/path');
  const [pod = '', namespace = ''] = parts.reverse();
  return { namespace, pod, file: text.slice(at + 1) };
}
