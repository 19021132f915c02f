import type { Secret } from '#schema/generated/core.v1.ts';
import type { Describer } from '../describer.ts';
import { heading } from '../heading.ts';

/** Describes a secret. Shows the lengths of its values, but not the values. */
export const describeSecret: Describer = (writer, object, { naming }) => {
  const { type = '', data = {} } = object as Secret;
  heading(writer, object);
  writer.line(0, `\nType:\t${type}\n\nData\n====`);
  for (const key of Object.keys(data).sort()) {
    const value = Buffer.from(data[key]!, 'base64');
    const open = key === 'token' && type === naming.key('service-account-token');
    writer.field(0, key, open ? value.toString() : `${value.length} bytes`);
  }
};
