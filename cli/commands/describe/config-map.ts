import type { ConfigMap } from '#schema/generated/core.v1.ts';
import type { Describer } from './describer.ts';
import { heading } from './heading.ts';

/** Describes a config map. Shows each value under its key. */
export const describeConfigMap: Describer = (writer, object) => {
  const { data = {}, binaryData = {} } = object as ConfigMap;
  heading(writer, object);
  writer.line(0, '\nData\n====');
  for (const key of Object.keys(data).sort()) writer.line(0, `${key}:\n----\n${data[key]}\n\n`);
  writer.line(0, '\nBinaryData\n====');
  for (const key of Object.keys(binaryData).sort())
    writer.line(0, `${key}: ${Buffer.from(binaryData[key]!, 'base64').length} bytes`);
  writer.line(0, '\n');
};
