import { define, textWalk } from '../cel-function.ts';
import { STRING } from '../cel-type.ts';

/** `jsonpatch.escapeKey(key)`: a key in the form of a step in the path of a patch. */
export const escapeKeyFunction = define(
  'jsonpatch.escapeKey',
  [STRING],
  STRING,
  (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
  textWalk(),
);
