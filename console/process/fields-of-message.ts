import type { Problem } from '../protocol/messages.ts';

/** The forms of messages about refused bodies that name a field, each with a remark about the field. */
const FORMS: readonly [form: RegExp, says: (found: RegExpMatchArray) => string][] = [
  [/unknown field "([^"]{1,500})"/g, () => 'the kind has no such field'],
  [/duplicate field "([^"]{1,500})"/g, () => 'it stands there twice'],
  [
    /cannot unmarshal (\S{1,100}) into Go struct field [^\s.]{1,100}\.(\S{1,500}) of type (\S{1,100})/g,
    ([, given, , wanted]) => `it is a ${given}, and must be of the type ${wanted}`,
  ],
];

/** The largest number of fields that are named. */
const MOST = 50;

/** The fields that the message of a 400 names, because such answers have no list of causes. */
export function fieldsOfMessage(message: string): Problem['causes'] {
  const found = FORMS.flatMap(([form, says]) =>
    [...message.slice(0, 20_000).matchAll(form)].map((match) => {
      const field = match.length > 2 ? match[2]! : match[1]!;
      return { field, message: says(match) };
    }),
  );
  return found.slice(0, MOST);
}
