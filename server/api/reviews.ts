/** Kinds of which nothing is stored, and that must always be answered: who a user is, and what a user may do. */
export const REVIEWS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['authentication', new Set(['selfsubjectreviews', 'tokenreviews'])],
  [
    'authorization',
    new Set([
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
    ]),
  ],
]);
