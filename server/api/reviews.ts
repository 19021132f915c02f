/**
 * Kinds whose objects are not stored and that must always be answered. They say who a user is and what a user may do.
 */
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
