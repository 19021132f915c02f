import { ApiError, ConnectionError, DeadlineError, isAborted } from '#client/errors.ts';
import { NameError } from '#client/path-segment.ts';
import { connectionWords } from '../framework/connection-words.ts';
import { CommandError, FlagError, ManyErrors, UsageError } from '../framework/errors.ts';
import { plainAnswer } from '../framework/plain-answer.ts';
import { PROGRAM } from './help.ts';

/**
 * An error as the user sees it. It consists of the text for the error stream, a hint about the next step, and the exit
 * code.
 */
export interface Explained {
  readonly text: string;
  readonly hint?: string | undefined;
  /** Output that was ready before the error. */
  readonly output?: string;
  readonly exitCode: number;
}

/**
 * @param path the words of the command, which the text names for further help
 * @param server the address to which the program tried to connect
 */
export function explainError(error: unknown, path: string, server?: string): Explained[] {
  if (error instanceof ManyErrors)
    return error.errors.flatMap((each) => {
      if (each instanceof ManyErrors)
        return [{ text: `[${[...new Set(each.errors.map(bareText))].join(', ')}]`, exitCode: 1 }];
      // A single error begins with a mark. A list of several errors does not.
      if (each instanceof ApiError) return [{ text: apiErrorText(each, false), hint: hintFor(each), exitCode: 1 }];
      if (each instanceof NameError) return [{ text: each.message, exitCode: 1 }];
      if (!(each instanceof CommandError)) return explainError(each, path, server);
      const { message, hint, output, exitCode } = each;
      return [{ text: message, hint, output, exitCode }];
    });
  return [explainOne(error, path, server)];
}

/** The text of an error without the mark `error: `, for a line that lists several errors. */
function bareText(error: unknown): string {
  if (error instanceof ApiError) return error.status.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

function explainOne(error: unknown, path: string, server: string | undefined): Explained {
  if (error instanceof FlagError)
    return { text: `Error: ${error.message}\nSee '${path} --help' for usage.`, exitCode: 1 };
  if (error instanceof UsageError)
    return { text: `error: ${error.message}\nSee '${path} -h' for help and examples`, exitCode: 1 };
  if (error instanceof CommandError)
    return {
      text: error.plain ? error.message : `error: ${error.message}`,
      hint: error.hint,
      output: error.output,
      exitCode: error.exitCode,
    };
  if (error instanceof ApiError) return { text: apiErrorText(error), hint: hintFor(error), exitCode: 1 };
  if (isAborted(error)) return { text: '', exitCode: 130 };
  if (error instanceof ConnectionError) return connectionText(error, server);
  if (error instanceof SyntaxError) return { text: `error: ${syntaxText(error)}`, exitCode: 1 };
  // Printers expect objects in the form of their kind. They fail for an object of another form, from a server or a
  // file.
  if (error instanceof TypeError || error instanceof RangeError)
    return {
      text: `error: the program read data that does not have the expected form: ${error.message}`,
      hint: 'Set ORCHCTL_STACK=1 to see where the program noticed it.',
      exitCode: 1,
    };
  return { text: `error: ${error instanceof Error ? error.message : String(error)}`, exitCode: 1 };
}

/** The error text for an answer that is not JSON. */
function syntaxText({ message }: SyntaxError): string {
  const [, character] = /^Unexpected token '(.+?)',/.exec(message) ?? [];
  if (character !== undefined) return `invalid character '${character}' looking for beginning of value`;
  return message === 'Unexpected end of JSON input' ? 'unexpected end of JSON input' : message;
}

/**
 * The text that the field's clients print for a Status. If the error is one of several (not `alone`), the text contains
 * the server's names of fields.
 */
export function apiErrorText(error: ApiError, alone = true): string {
  const { status } = error;
  // The sender of this answer does not know Status. It may be a program between the client and the server.
  const { reason, message } =
    status.kind === undefined
      ? plainAnswer(error.code, status.message ?? '')
      : { reason: error.reason, message: status.message || `the server answered ${error.code}` };
  if (error.code === 401) return `error: You must be logged in to the server${reason === '' ? '' : ` (${message})`}`;
  if (alone && reason === 'Invalid' && status.details !== undefined) {
    const { group, kind, name } = status.details;
    const what = `${kind}${group && /^[a-z]/.test(kind ?? '') ? `.${group}` : ''}`;
    if (kind) {
      const list = invalidCauses(error);
      return `The ${what} "${name ?? ''}" is invalid${list === '' ? '' : `: ${list}`}`;
    }
  }
  if (alone && reason === 'Invalid') return `The request is invalid: ${invalidCauses(error) || message}`;
  return reason === '' ? `Error from server: ${message}` : `Error from server (${reason}): ${message}`;
}

/**
 * The causes of a refusal, each with its field. A single cause is in the same line. Several causes have one line each.
 */
function invalidCauses({ status }: ApiError): string {
  const { causes } = status.details ?? {};
  const texts = [
    ...new Set((causes ?? []).map(({ field, message: text }) => `${field ? `${field}: ` : ''}${text ?? ''}`)),
  ];
  return texts.length <= 1 ? (texts[0] ?? '') : `\n${texts.map((text) => `* ${text}`).join('\n')}`;
}

function hintFor(error: ApiError): string | undefined {
  if (error.code === 401)
    return `The server did not accept your credentials: \`${PROGRAM} config view --minify\` shows which are used.`;
  if (error.code === 403)
    return `\`${PROGRAM} auth whoami\` shows who you are, \`${PROGRAM} auth can-i --list\` what you may do.`;
  if (error.code === 410) return 'The version asked for is no longer kept: list again.';
  if (error.code === 429 || error.code === 503) return 'The server is busy: try again in a moment.';
  return undefined;
}

function connectionText(error: ConnectionError, server: string | undefined): Explained {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  const code = cause?.code ?? '';
  const host = server === undefined ? '' : new URL(server).host;
  const hint =
    error instanceof DeadlineError
      ? 'It took longer than --request-timeout allows.'
      : `\`${PROGRAM} config view --minify\` shows where ${PROGRAM} connects to and as whom.`;
  if (code === 'ECONNREFUSED')
    return {
      text: `The connection to the server ${host} was refused - did you specify the right host or port?`,
      hint,
      exitCode: 1,
    };
  return { text: `Unable to connect to the server: ${connectionWords(error)}`, hint, exitCode: 1 };
}
