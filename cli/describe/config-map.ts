import type { Describer } from './describer.ts';
import { describeEvents } from './events.ts';
import { heading } from './heading.ts';
import { DescriptionWriter } from './writer.ts';

/** A config map: what it holds, each under its key. */
export const describeConfigMap: Describer = async (found, context) => {
  const writer = new DescriptionWriter();
  const data = (found.object['data'] ?? {}) as Readonly<Record<string, string>>;
  const binary = (found.object['binaryData'] ?? {}) as Readonly<Record<string, string>>;
  heading(writer, found.object);
  writer.line(0, '\nData\n====');
  for (const key of Object.keys(data).sort()) writer.line(0, `${key}:\n----\n${data[key]}\n\n`);
  writer.line(0, '\nBinaryData\n====');
  for (const key of Object.keys(binary).sort())
    writer.line(0, `${key}: ${Buffer.from(binary[key]!, 'base64').length} bytes`);
  writer.line(0, '\n');
  await describeEvents(writer, found, context);
  return writer.text();
};
