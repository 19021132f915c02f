// The settings of every test, also of a file that is run by itself: `mocha schema/patch/json-patch.test.ts`. Which files
// `make test` runs, and how many beside each other, says scripts/test.ts.
module.exports = {
  timeout: 60_000,
  exit: true,
  require: ['./scripts/test-setup.ts'],
};
