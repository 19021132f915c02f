import type { Found } from '../../resources/found.ts';
import type { DescribeContext } from './describer.ts';
import { descriptionOf } from './describers.ts';
import { describeEvents } from './events.ts';
import { DescriptionWriter } from './writer.ts';

/** The description of an object, in complete lines. It includes the events of the object if its kind shows them. */
export async function describeObject({ object, type }: Found, context: DescribeContext): Promise<string> {
  const { client, naming } = context;
  const { load, events, version = type.version } = descriptionOf(type, naming);
  const { name = '', namespace } = object.metadata;
  const wanted =
    version === type.version
      ? object
      : await client
          .resource({ ...type, version })
          .in(namespace)
          .get(name);
  // The annotation of apply only repeats the object.
  const writer = new DescriptionWriter([naming.key('ctl/last-applied-configuration')]);
  const describe = await load();
  await describe(writer, wanted, context);
  if (events && context.showEvents) await describeEvents(writer, wanted, type, context);
  return writer.text();
}
