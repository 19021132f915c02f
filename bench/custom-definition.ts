/** Definitions and objects of custom kinds, of sizes that are met with. */

/** How much JSON a large definition is, in bytes. */
export const LARGE_BYTES = 74_000;

export interface DefinitionOptions {
  /** About how many bytes its schema takes; none beyond what {@link gadget} needs when left out. */
  readonly bytes?: number;
  /** Rules of the expression language that each write of an object is checked by. */
  readonly rules?: number;
}

export const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';

const text = { type: 'string', maxLength: 256 };
const count = { type: 'integer', minimum: 0, maximum: 100_000 };

/** The nth definition: `gadgets` in a separate group. */
export function definition(n: number, { bytes = 0, rules = 0 }: DefinitionOptions = {}): object {
  const option = (i: number): object => ({
    type: 'object',
    description: `Option ${i} of kind ${n}, in the words of those who made it. It is looked at when something starts. ${'.'.repeat(40)}`,
    properties: {
      enabled: { type: 'boolean', default: false },
      level: { type: 'integer', minimum: 0, description: 'How much of it.' },
      names: { type: 'array', maxItems: 20, items: text },
    },
  });
  const oneOption = JSON.stringify(option(0)).length + 14;
  const options = Array.from({ length: Math.floor(bytes / oneOption) }, (_, i) => [`option${i}`, option(i)]);
  const spec = {
    type: 'object',
    properties: {
      replicas: count,
      image: text,
      settings: { type: 'object', maxProperties: 100, additionalProperties: { type: 'string', maxLength: 64 } },
      parts: {
        type: 'array',
        maxItems: 40,
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: text, size: count, mode: { type: 'string', default: 'plain', maxLength: 16 } },
        },
      },
      ...Object.fromEntries(options),
    },
    ...(rules > 0 && {
      'x-orch-validations': Array.from({ length: rules }, (_, i) => ({
        rule: `${RULES[i % RULES.length]} || ${i} < 0`,
      })),
    }),
  };
  const group = groupOf(n);
  return {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          additionalPrinterColumns: [{ name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' }],
        },
      ],
    },
  };
}

const RULES: readonly string[] = [
  'self.replicas < 1000',
  'self.image.startsWith("registry.example.com/")',
  'self.parts.all(part, part.size <= self.replicas * 1000)',
  'self.settings.size() < 50',
  'self.parts.size() <= 40',
];

function groupOf(n: number): string {
  return `g${n}.bench.example.com`;
}

/** The path of the objects of the nth definition. */
export function gadgetsOf(n: number): string {
  return `/apis/${groupOf(n)}/v1/namespaces/bench/gadgets`;
}

/** An object of about 1.6 KB; `turn` is what changes in it. */
export function gadget(n: number, name: string, turn = 0): object {
  return {
    apiVersion: `${groupOf(n)}/v1`,
    kind: 'Gadget',
    metadata: { name, labels: { app: 'bench' } },
    spec: {
      replicas: turn % 1000,
      image: 'registry.example.com/team/gadget:1.0.0',
      settings: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`setting-${i}`, `value-${i}-of-some-length`])),
      parts: Array.from({ length: 14 }, (_, i) => ({
        name: `part-${i}`,
        size: 0,
        mode: i % 2 === 0 ? 'plain' : 'fancy',
      })),
    },
  };
}

/** A config map of as many bytes as an object, and `more`. */
export function configMapLike(object: object, name: string, turn = 0, more = 0): object {
  const bytes = JSON.stringify(object).length + more;
  const data: Record<string, string> = { turn: String(turn) };
  for (let i = 0; JSON.stringify(data).length < bytes - 120; i++) data[`setting-${i}`] = `value-${i}-of-some-length`;
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { app: 'bench' } }, data };
}
