import { type CelType, DYN, STRING } from './cel-type.ts';

/** The types of the fields of a message type, by name. */
export type MessageFields = (field: string) => CelType | undefined;

/** The types of messages that expressions can make, by name. */
export type MessageTypes = (name: string) => MessageFields | undefined;

export const noMessages: MessageTypes = () => undefined;

/** The name of the object that a mutation applies; its parts are `Object.spec`, `Object.spec.containers` and so on. */
export const APPLIED = 'Object';
/** The name of an operation of a patch. */
const PATCH_STEP = 'JSONPatch';

/** The message of an object part. It accepts any field, because the kind is checked when the part is applied. */
const anyField: MessageFields = () => DYN;

const STEP_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

/** The messages of mutations: parts of the applied object, and patch operations. */
export const mutationMessages: MessageTypes = (name) => {
  if (name === PATCH_STEP) return (field) => STEP_FIELDS.get(field);
  return name === APPLIED || name.startsWith(`${APPLIED}.`) ? anyField : undefined;
};
