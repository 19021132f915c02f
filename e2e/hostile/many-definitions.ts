import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { Random } from './random.ts';

const SEED = 465;
/**
 * The sizes of one version's schema, in characters, and the percentages of definitions with that size. Large operators
 * ship such definitions.
 */
const SIZES: readonly (readonly [of100: number, characters: number])[] = [
  [40, 8_000],
  [30, 30_000],
  [20, 80_000],
  [8, 160_000],
  [2, 420_000],
];
const GROUPS = 60;

const WORDS =
  'which when where their member volume template selector network policy secret of the a this that with for from been by class node zone value default replica storage service account status reference limit request is are used'.split(
    ' ',
  );

const PARTS =
  'name namespace size storage network template selector policy secret volume class node zone replica service account limit request window budget provider region bucket key value source target access role rule port host path'.split(
    ' ',
  );

/**
 * Makes schemas like those that generators make from Go types. They are nested and have long texts, limits and a few
 * rules.
 */
class SchemaMaker {
  readonly #random: Random;
  readonly #x: string;
  #left: number;

  constructor(random: Random, extensionPrefix: string, characters: number) {
    this.#random = random;
    this.#x = extensionPrefix;
    this.#left = characters;
  }

  root(): JsonObject {
    const spec: Record<string, JsonValue> = {};
    for (let i = 0; this.#left > 0; i++) spec[this.#name(i)] = this.#value(0);
    return this.#charged({
      type: 'object',
      description: this.#prose(20),
      required: ['spec'],
      properties: {
        apiVersion: { type: 'string', description: this.#prose(30) },
        kind: { type: 'string', description: this.#prose(30) },
        metadata: { type: 'object' },
        spec: { type: 'object', description: this.#prose(20), properties: spec },
        status: {
          type: 'object',
          properties: { phase: { type: 'string' }, [`${this.#x}ready`.slice(this.#x.length)]: { type: 'integer' } },
        },
      },
    });
  }

  #charged(schema: JsonObject): JsonObject {
    this.#left -= 60 + String(schema['description'] ?? '').length;
    return schema;
  }

  #prose(words: number): string {
    const count = 1 + this.#random.below(words * 2);
    return `${Array.from({ length: count }, () => this.#random.pick(WORDS)).join(' ')}.`;
  }

  #name(i: number): string {
    const [a, b] = [this.#random.pick(PARTS), this.#random.pick(PARTS)];
    return `${a}${b[0]!.toUpperCase()}${b.slice(1)}${i}`;
  }

  #value(depth: number): JsonObject {
    const description = this.#prose(18);
    const random = this.#random;
    const leaf = (): JsonObject => this.#charged({ description, ...this.#leaf() });
    if (depth > 9 || this.#left <= 0) return leaf();
    return random.weighed<JsonObject>(
      [6, leaf],
      [3, () => this.#object(depth, description)],
      [
        1,
        () => {
          const items = this.#value(depth + 1);
          return this.#charged({ type: 'array', description, items, maxItems: 100 });
        },
      ],
      [1, () => this.#charged({ type: 'object', description, additionalProperties: this.#value(depth + 2) })],
    );
  }

  #object(depth: number, description: string): JsonObject {
    const properties: Record<string, JsonValue> = {};
    const names = Array.from({ length: 2 + this.#random.below(7) }, (_, i) => this.#name(i));
    for (const name of names) properties[name] = this.#value(depth + 1);
    return this.#charged({
      type: 'object',
      description,
      properties,
      ...(this.#random.chance(0.3) && { required: [names[0]!] }),
      ...(this.#random.chance(0.05) && {
        [`${this.#x}validations`]: [
          { rule: `has(self.${names[0]}) || has(self.${names[1]})`, message: 'say one of them' },
        ],
      }),
    });
  }

  #leaf(): JsonObject {
    return this.#random.weighed<JsonObject>(
      [6, () => ({ type: 'string' })],
      [1, () => ({ type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' })],
      [1, () => ({ type: 'string', enum: ['Always', 'Never', 'IfNotPresent'], default: 'Always' })],
      [2, () => ({ type: 'integer', format: 'int32', minimum: 0 })],
      [2, () => ({ type: 'boolean' })],
      [1, () => ({ [`${this.#x}int-or-string`]: true, anyOf: [{ type: 'integer' }, { type: 'string' }] })],
      [1, () => ({ type: 'object', [`${this.#x}preserve-unknown-fields`]: true })],
    );
  }
}

function sizeOf(i: number): number {
  let left = (i * 37) % 100;
  for (const [of100, characters] of SIZES) if ((left -= of100) < 0) return characters;
  return SIZES[0]![1];
}

/** A definition whose schemas have this size, in characters. Every fifth definition has a second version. */
export function madeDefinition(naming: Naming, i: number, characters = sizeOf(i)): JsonObject {
  const group = `g${i % GROUPS}.many.example.com`;
  const plural = `things${i}`;
  const version = (name: string, stream: number, storage: boolean): JsonObject => ({
    name,
    served: true,
    storage,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
    schema: {
      openAPIV3Schema: new SchemaMaker(new Random(SEED, stream), naming.extensionPrefix, characters).root(),
    },
  });
  return {
    apiVersion: naming.apiVersion('apiextensions', 'v1'),
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind: `Thing${i}`, singular: `thing${i}`, listKind: `Thing${i}List` },
      versions: [version('v1', 2 * i, true), ...(i % 5 === 0 ? [version('v1beta1', 2 * i + 1, false)] : [])],
    },
  };
}
