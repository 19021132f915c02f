import { isUtf8 } from 'node:buffer';

/**
 * Adds content to a config map. Text becomes a value of `data`. Other content becomes a value of `binaryData`, in
 * base64.
 */
export function configMapData(values: ReadonlyMap<string, Buffer>): {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
} {
  const [data, binaryData]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const [key, value] of [...values].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isUtf8(value)) data[key] = value.toString();
    else binaryData[key] = value.toString('base64');
  }
  return {
    ...(Object.keys(binaryData).length === 0 ? {} : { binaryData }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
}
