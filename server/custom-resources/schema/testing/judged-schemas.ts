import fc from 'fast-check';

/**
 * Texts of JSON for property tests. In a text, a number keeps its spelling (`3.0`, `1e2`), which is lost in a value.
 * There are only few names, so that objects often have the members that their schema names.
 */
const NAMES = ['a', 'b', 'hasOwnProperty', 'né'] as const;

/** Numbers that are close to each other and to limits, in any spelling. */
const NUMBERS = [
  '0',
  '-0',
  '1',
  '1.0',
  '1e0',
  '2',
  '3',
  '3.0',
  '10',
  '1e1',
  '1E+1',
  '0.5',
  '0.1',
  '0.3',
  '-1',
  '-2.50',
];
const TEXTS = ['', 'a', 'ab', 'abc', 'é', '😀', '😀😀', '\ud83d', '\ude00\ud83d', 'a\nb', '1', 'null'].map((text) =>
  JSON.stringify(text),
);
const LARGE = ['9007199254740991', '-9007199254740991', '1e15', '4294967296', '1e300'];

/** The depth of nested schemas of any kind. */
const DEPTH = fc.createDepthIdentifier();

const number = fc.constantFrom(...NUMBERS);
const anyNumber = fc.oneof({ weight: 8, arbitrary: number }, { weight: 1, arbitrary: fc.constantFrom(...LARGE) });
const string = fc.constantFrom(...TEXTS);
const scalar = fc.oneof(anyNumber, string, fc.constantFrom('true', 'false', 'null'));
const size = fc.constantFrom('0', '1', '2', '3');
const pattern = fc.constantFrom('^a', 'b$', '^[a-c]*$', '.', '^.{2}$', 'é|a', '^$', '\\\\d');

/** Texts of values, or of the items of a list, by the names of keywords. */
type Members = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The members of an object as a text. */
function objectText(members: Members): string {
  const own = Object.entries(members).filter(([, text]) => text !== undefined);
  const texts = own.map(([name, text]) => `${JSON.stringify(name)}:${typeof text === 'string' ? text : `[${text}]`}`);
  return `{${texts.join()}}`;
}

/** A value, or one of the values of an enum, with whole numbers unchanged or with `.0` after them. */
function orOneOf(
  value: string,
  { enum: values }: { readonly enum?: readonly string[] | undefined },
): fc.Arbitrary<string> {
  if (values === undefined) return fc.constant(value);
  const spelled = values.flatMap((text) => [text, text.replace(/(?<![\d.eE+"-])\d(?![\d.eE])/g, '$&.0')]);
  return fc.oneof(fc.constant(value), fc.constantFrom(...spelled));
}

const membersOf = (value: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength, selector: ([name]) => name })
    .map((members) => `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`);
const listOf = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(item, { maxLength: 3 }).map((items) => `[${items.join()}]`);

/** Any value, as a text. */
const valueText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, listOf(tie('value')), membersOf(tie('value'), 4)),
})).value;

/** Values of an enum. Long enums are searched in another way than short ones. */
const enumOf = (value: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> =>
  fc
    .tuple(fc.array(value, { minLength: 1, maxLength: 3 }), fc.constantFrom(0, 0, 0, 20))
    .map(([values, more]) => [...Array.from({ length: more }, (_, i) => `"long ${i}"`), ...values]);

/** An optional part. It is present in one of `outOf` cases, and absent at the largest depth. */
const optional = <T>(arbitrary: fc.Arbitrary<T>, outOf = 3): fc.Arbitrary<T | undefined> =>
  fc.oneof(
    { maxDepth: 3, depthIdentifier: DEPTH },
    { weight: outOf - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary },
  );

/**
 * The keywords of a schema that limit values of a type, without `type` itself: they are allowed in `allOf` and similar
 * lists.
 */
const limits = {
  number: fc.record({
    minimum: optional(anyNumber),
    exclusiveMinimum: optional(fc.constantFrom('true', 'false')),
    maximum: optional(anyNumber),
    exclusiveMaximum: optional(fc.constantFrom('true', 'false')),
    multipleOf: optional(fc.constantFrom('1', '2', '0.1', '0.5', '2.0', '3'), 6),
    enum: optional(enumOf(anyNumber), 6),
  }),
  string: fc.record({
    minLength: optional(size),
    maxLength: optional(size),
    pattern: optional(pattern.map((text) => `"${text}"`)),
    enum: optional(enumOf(string), 6),
  }),
  array: fc.record({ minItems: optional(size), maxItems: optional(size), enum: optional(enumOf(listOf(scalar)), 10) }),
  object: fc.record({
    minProperties: optional(size),
    maxProperties: optional(size),
    required: optional(listOf(fc.constantFrom(...NAMES).map((name) => JSON.stringify(name))), 4),
    enum: optional(enumOf(membersOf(scalar, 2)), 10),
  }),
} as const;
const anyLimits = fc.oneof(...Object.values(limits)) as fc.Arbitrary<Members>;

/** A schema within `allOf`, `anyOf`, `oneOf` or `not`: limits only. */
const nested: fc.Arbitrary<string> = fc.letrec<{ nested: string }>((tie) => ({
  nested: fc
    .tuple(
      anyLimits,
      optional(membersOf(tie('nested'), 2), 8),
      optional(tie('nested'), 10),
      alternatives(tie('nested'), 12),
    )
    .map(([own, properties, items, groups]) => objectText({ ...own, properties, items, ...groups })),
})).nested;

/** `allOf` and the similar keywords. Each is present in one of `freq` cases. */
function alternatives(schema: fc.Arbitrary<string>, freq: number): fc.Arbitrary<Members> {
  const group = fc.array(schema, { minLength: 1, maxLength: 3 }).map((all) => `[${all.join()}]`);
  return fc.record({
    allOf: optional(group, freq),
    anyOf: optional(group, freq),
    oneOf: optional(group, freq),
    not: optional(schema, freq),
  });
}

/** A structural schema and a value, both as texts. The value often fits the schema, but not always. */
export interface Judged {
  readonly schema: string;
  readonly value: string;
}

const { judged } = fc.letrec<{ judged: Judged }>((tie) => {
  const leaf = fc.oneof(
    fc.tuple(fc.constantFrom('"integer"', '"number"'), limits.number, anyNumber),
    fc.tuple(fc.constant('"string"'), limits.string, string),
    fc.tuple(fc.constant('"boolean"'), fc.constant({}), fc.constantFrom('true', 'false')),
    fc.tuple(fc.constant(undefined), fc.oneof(limits.number, limits.string), fc.oneof(anyNumber, string)),
  );
  const single = fc.tuple(leaf, alternatives(nested, 6)).chain(([[type, own, value], groups]) =>
    fc.record({
      members: fc.constant<Members>({
        ...(type === undefined ? { 'x-orch-int-or-string': 'true' } : { type }),
        ...own,
        ...groups,
      }),
      value: orOneOf(value, own),
    }),
  );
  const list = fc
    .tuple(
      fc.array(tie('judged'), { minLength: 1, maxLength: 1 }),
      valueText,
      limits.array,
      alternatives(nested, 8),
      fc.boolean(),
    )
    .chain(([[item], other, own, groups, isSet]) =>
      fc.record({
        members: fc.constant<Members>({
          type: '"array"',
          items: item!.schema,
          ...own,
          ...groups,
          ...(isSet && { 'x-orch-list-type': '"set"' }),
        }),
        value: listOf(
          fc.oneof({ weight: 6, arbitrary: fc.constant(item!.value) }, { weight: 1, arbitrary: fc.constant(other) }),
        ).chain((list) => orOneOf(list, own)),
      }),
    );
  const object = fc
    .tuple(
      fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie('judged'), fc.boolean()), {
        maxLength: 3,
        selector: ([name]) => name,
      }),
      optional(fc.tuple(fc.constantFrom(...NAMES), valueText), 4),
      limits.object,
      alternatives(nested, 8),
    )
    .chain(([named, other, own, groups]) => {
      const value = new Map(named.filter(([, , isThere]) => isThere).map(([name, { value: text }]) => [name, text]));
      if (other !== undefined && !value.has(other[0])) value.set(...other);
      return fc.record({
        members: fc.constant<Members>({
          type: '"object"',
          properties: objectText(Object.fromEntries(named.map(([name, { schema }]) => [name, schema]))),
          ...own,
          ...groups,
        }),
        value: orOneOf(objectText(Object.fromEntries(value)), own),
      });
    });
  const map = fc.tuple(tie('judged'), fc.constantFrom(...NAMES), limits.object).map(([member, name, own]) => ({
    members: { type: '"object"', additionalProperties: member.schema, ...own } as Members,
    value: `{${JSON.stringify(name)}:${member.value}}`,
  }));
  return {
    judged: fc
      .tuple(
        fc.oneof(
          { maxDepth: 3, depthIdentifier: DEPTH },
          { weight: 2, arbitrary: single },
          list,
          { weight: 2, arbitrary: object },
          map,
        ),
        optional(fc.constantFrom('true', 'false'), 4),
        optional(fc.oneof(valueText, fc.constant('null')), 8),
      )
      .map(([{ members, value }, nullable, other]) => ({
        schema: objectText({ ...members, nullable }),
        value: other ?? value,
      })),
  };
});

/** Structural schemas with values. Two validators check them, and the test compares the results. */
export const judgedValue: fc.Arbitrary<Judged> = judged;
