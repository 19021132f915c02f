/**
 * How often a test tries something that is to be tried so many times, as 100,000 hostile inputs: a tenth as often, for
 * `make test` is to be quick, and as often as said with THOROUGH set, as `make e2e` sets it for those in
 * `THOROUGH_TESTS`.
 */
export function tries(thorough: number): number {
  return process.env['THOROUGH'] ? thorough : Math.ceil(thorough / 10);
}

/** Tests that try things more often in `make e2e` than in `make test`. */
export const THOROUGH_TESTS: readonly string[] = [
  'server/authentication/hostile-input.test.ts',
  'cli/hostile-answers.test.ts',
  'e2e/client-package/examples.test.ts',
  'e2e/client-package/package.test.ts',
  'e2e/reads/reflector.test.ts',
  'e2e/reads/replicas.test.ts',
  'schema/yaml/plain-reader.test.ts',
  'server/custom-resources/schema/pattern-search.test.ts',
];
