import type { Describer } from './describer.ts';
import { heading } from './heading.ts';
import { DescriptionWriter } from './writer.ts';

/** A secret: how long its values are, and not what they are. */
export const describeSecret: Describer = async ({ object }) => {
  const writer = new DescriptionWriter();
  heading(writer, object);
  writer.line(0, `\nType:\t${String(object['type'] ?? '')}\n\nData\n====`);
  const data = (object['data'] ?? {}) as Readonly<Record<string, string>>;
  for (const key of Object.keys(data).sort())
    writer.line(0, `${key}:\t${Buffer.from(data[key]!, 'base64').length} bytes`);
  return writer.text();
};
