import fc from 'fast-check';

// Loaded by mocha before all tests. A property of code that is slow today, or on a machine that is busy, tries fewer
// examples instead of running into the limit of its test.
fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: 5_000 });
