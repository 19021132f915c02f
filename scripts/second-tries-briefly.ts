import mocha, { type MochaOptions, type Runner } from 'mocha';
import { tellOfSecondTries } from './second-tries.ts';

/** Reports each test by a dot, and names second tries like the reporter beside this file. */
export default class SecondTriesBriefly extends mocha.reporters.Dot {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    tellOfSecondTries(runner);
  }
}
