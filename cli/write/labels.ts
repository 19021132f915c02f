import { CommandError } from '../framework/errors.ts';

/** Parses `a=b,c=d` as labels. @throws CommandError if the text is malformed */
export function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const spec of text.split(',')) {
    const parts = spec.split('=');
    if (parts.length !== 2) throw new CommandError(`unexpected label spec: ${spec}`);
    const [key, value] = parts as [string, string];
    if (key === '') throw new CommandError('unexpected empty label key');
    labels[key] = value;
  }
  return labels;
}
