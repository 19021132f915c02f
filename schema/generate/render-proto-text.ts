import type { ProtoFile } from '../descriptors/proto-data.ts';

/** The TypeScript file of `protoText`: all files of `proto/` as a JSON text, which programs parse in a millisecond. */
export function renderProtoText(files: readonly ProtoFile[]): string {
  const literal = JSON.stringify(JSON.stringify(files)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `// Made by npm run generate from proto/.\nexport const protoText: string =\n  '${literal}';\n`;
}
