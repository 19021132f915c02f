import mocha, { type MochaOptions, type Runner } from 'mocha';
import { tellOfSecondTries } from './second-tries.ts';

/** Reports tests by a dot each, and names second tries as the reporter beside this file does. */
export default class SecondTriesBriefly extends mocha.reporters.Dot {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    tellOfSecondTries(runner);
  }
}
