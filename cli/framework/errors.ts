/** A mistake in flags, for which the command line cannot be parsed. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/** A mistake in the call of a command. The message names the command's help. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An error with a text for the user. The text is shown after `error: `, or alone if the error is `plain`. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** The exit code of the process. */
  readonly exitCode: number;
  readonly plain: boolean;
  /** Advice about the next step. It is shown on a terminal only. */
  readonly hint: string | undefined;
  /** Output that was ready before the error. */
  readonly output: string;

  constructor(
    message: string,
    options: { exitCode?: number; plain?: boolean; hint?: string | undefined; output?: string } = {},
  ) {
    super(message);
    this.exitCode = options.exitCode ?? 1;
    this.plain = options.plain ?? false;
    this.hint = options.hint;
    this.output = options.output ?? '';
  }
}

/** Several errors. Each of them is shown. */
export class ManyErrors extends Error {
  override readonly name = 'ManyErrors';
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    super('several errors');
    this.errors = errors;
  }
}

/** Merges several errors into one error, which is shown in one line. */
export function together(errors: readonly unknown[]): readonly unknown[] {
  return errors.length > 1 ? [new ManyErrors(errors)] : errors;
}

/** Throws the only collected error, or all errors as one error. Does nothing if there are none. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new ManyErrors(errors);
}
