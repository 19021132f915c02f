import type { ApiError } from '../../client/errors.ts';
import { CommandError } from '../frame/errors.ts';

/** Which manager owns which field that an apply wants to change, and the three ways out. */
export function explainConflict(error: ApiError): CommandError {
  return new CommandError(
    `${error.message}\nThese fields have other managers. There are three ways out:\n* To take them over, whatever the others say, apply again with --force-conflicts.\n* To leave them to the others, take them out of the file.\n* To share them, put the value that they have now into the file: they are yours alone when the\n  others no longer name them.`,
  );
}
