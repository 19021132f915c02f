import type { Schema } from '../descriptors/types.ts';

/**
 * The TypeScript file of `bounds`: the limits of numbers and sizes by message and field, for the rules that enforce
 * them. A rule that reads a bound that `proto/` does not declare causes a type error.
 */
export function renderBounds(schema: Schema): string {
  const lines: string[] = [];
  for (const { name, jsonFields } of schema.messages.values()) {
    const bounded = jsonFields.flatMap(({ name: field, bounds }) => {
      const { minimum, maximum, maxPercent, maxItems, maxLength } = bounds ?? {};
      const numbers = { minimum, maximum, maxPercent, maxItems, maxLength };
      return Object.values(numbers).some((number) => number !== undefined) ? [[field, numbers] as const] : [];
    });
    if (bounded.length > 0) lines.push(`  '${name}': ${JSON.stringify(Object.fromEntries(bounded))},`);
  }
  return ['// Made by npm run generate from proto/.', 'export const bounds = {', ...lines, '} as const;', ''].join(
    '\n',
  );
}
