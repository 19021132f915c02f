/** One error of a generated validator. */
export interface ValidationError {
  /** A JSON pointer. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A generated validator: it returns false for an invalid value, and has the errors as a member. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly ValidationError[] | null;
}

/** A problem of a value in a file. */
export interface Problem {
  readonly path: Path;
  /** The rest of a sentence that begins with the path, such as `must be a text`. */
  readonly what: string;
  /** Whether the problem is the name of the field and not its value. */
  readonly ofName?: boolean;
  /** Whether the schema lacks the field. */
  readonly isUnknown?: boolean;
}

/** The way to a value: names of fields, and indexes of lists. */
export type Path = readonly (string | number)[];

/**
 * All problems of a value, in the order of the schema. No problem repeats a value.
 *
 * @example problemsOf(validate, { limits: 'many' }) // [{ path: ['limits'], what: 'must be a list' }]
 */
export function problemsOf(validate: Validate, value: unknown): readonly Problem[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => problemOf(error, value));
}

function problemOf({ instancePath, keyword, params }: ValidationError, root: unknown): Problem {
  const { path, value } = follow(root, instancePath);
  if (keyword === 'onlyKnown') {
    const { field, known } = params as { field: string; known: readonly string[] };
    return { path: [...path, field], what: unknownField(field, known), ofName: true, isUnknown: true };
  }
  if (keyword === 'required') return { path: [...path, params['missingProperty'] as string], what: 'is missing' };
  return { path, what: wordsFor(keyword, params, path.length === 0 ? undefined : value) };
}

function follow(root: unknown, pointer: string): { readonly path: Path; readonly value: unknown } {
  const path: (string | number)[] = [];
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(name) : name);
    value = (value as Record<string, unknown>)[name];
  }
  return { path, value };
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

function wordsFor(keyword: string, params: ValidationError['params'], value: unknown): string {
  switch (keyword) {
    case 'type': {
      if (value === null) return 'is missing';
      const types = [params['type']].flat().filter((type) => type !== 'null') as string[];
      const hint = types.includes('string') && typeof value !== 'object' ? ': put it in quotes' : '';
      return `must be ${types.map((type) => TYPES.get(type) ?? type).join(' or ')}${hint}`;
    }
    case 'enum': {
      const allowed = params['allowedValues'] as readonly unknown[];
      return `must be one of ${allowed.filter((one) => one !== null && one !== '').join(', ')}`;
    }
    case 'minimum':
      return `must be at least ${String(params['limit'])}`;
    case 'maximum':
      return `must be at most ${String(params['limit'])}`;
    case 'minItems':
      return 'must name at least one';
    case 'exactlyOne':
      return `must have exactly one of ${(params['known'] as readonly string[]).join(', ')}`;
    case 'matches':
      return params['says'] as string;
    default:
      return `breaks the rule ${JSON.stringify(keyword)}`;
  }
}

function unknownField(field: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, distance: editDistance(field.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  if (near !== undefined && near.distance <= Math.max(1, Math.floor(near.name.length / 3)))
    return `is not known: did you mean ${near.name}?`;
  return known.length === 0 ? 'is not known: nothing may stand here' : `is not one of ${known.join(', ')}`;
}

/** The number of characters that must be added, removed or replaced to turn one text into the other. */
function editDistance(a: string, b: string): number {
  // Field names are short, so a longer text is not a field name.
  if (a.length > 64) return a.length;
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row.push(Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    before = row;
  }
  return before[b.length]!;
}
