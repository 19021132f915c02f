const { enableCompileCache } = require('node:module');
const path = require('node:path');

// Code that was compiled once is taken from there: a file with a replica takes half the time.
enableCompileCache?.(path.join(__dirname, '.run/compile-cache'));

// The settings of every test, also of a file that is run by itself: `mocha schema/patch/json-patch.test.ts`. Which files
// `make test` runs, and how many beside each other, says scripts/test.ts.
module.exports = {
  timeout: 60_000,
  exit: true,
  require: ['./scripts/test-setup.ts'],
};
