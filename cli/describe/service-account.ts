import type { Describer } from './describer.ts';
import { describeEvents } from './events.ts';
import { heading } from './heading.ts';
import { DescriptionWriter } from './writer.ts';

type Names = readonly { readonly name: string }[];

/** A service account: the secrets that it brings to pods. */
export const describeServiceAccount: Describer = async (found, context) => {
  const writer = new DescriptionWriter();
  const { object } = found;
  heading(writer, object);
  const of = (field: string) => ((object[field] ?? []) as Names).map(({ name }) => name);
  const lists: readonly [string, readonly string[]][] = [
    ['Image pull secrets', of('imagePullSecrets')],
    ['Mountable secrets', of('secrets')],
    ['Tokens', []],
  ];
  for (const [name, values] of lists) {
    writer.field(0, name, values[0] ?? '<none>');
    for (const value of values.slice(1)) writer.line(0, `\t${value}`);
  }
  await describeEvents(writer, found, context);
  return writer.text();
};
