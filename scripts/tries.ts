/**
 * How often a test tries something that deserves `thorough` tries, such as 100,000 hostile inputs. It is a tenth of
 * them, because `make test` must be quick. With THOROUGH set it is all of them: `make e2e` sets it for
 * `THOROUGH_TESTS`.
 */
export function tries(thorough: number): number {
  return process.env['THOROUGH'] ? thorough : Math.ceil(thorough / 10);
}

/** Tests that try things more often in `make e2e` than in `make test`. */
export const THOROUGH_TESTS: readonly string[] = [
  'server/authentication/hostile-input.test.ts',
  'cli/hostile-answers.test.ts',
  'e2e/reads/replicas.test.ts',
  'schema/yaml/plain-reader.test.ts',
  'server/custom-resources/schema/pattern-search.test.ts',
];
