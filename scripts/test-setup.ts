import fc from 'fast-check';

// Mocha loads this file before all tests. If the code or the machine is slow, a property tries fewer examples instead
// of exceeding the time limit of its test.
fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: 5_000 });
