import { ApiError } from '#client/errors.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { windowsFlag } from '../../resources/flags.ts';
import { editedFile } from './open-editor.ts';

/** A text that the user edits until the program or server accepts it. */
export interface Editing<T> {
  /** Comment lines above the text, if its format allows comments. */
  readonly heading: string;
  readonly text: string;
  /** The extension of the file, `.yaml` or `.json`. */
  readonly extension: string;
  /** The name of the text in messages, as in `pods "web" is invalid`. */
  readonly what: string;
  /**
   * Accepts a changed text. Resolves to undefined if the text has the same meaning as before.
   * @throws UnusableText, ApiError or RefusedEdits for invalid parts, which the user then edits again
   */
  readonly take: (text: string) => Promise<T | undefined>;
  /** Whether the text describes a new object. Errors of the server are then shown unchanged. */
  readonly creates?: true;
}

/** The message if nothing was changed. */
const UNCHANGED = 'Edit cancelled, no changes made.\n';

/** A text without an object that could be sent. */
export class UnusableText extends Error {
  override readonly name = 'UnusableText';
}

/** The refusals of the server for a text with several objects. */
export class RefusedEdits extends Error {
  override readonly name = 'RefusedEdits';
  readonly refusals: readonly { readonly what: string; readonly error: ApiError }[];

  constructor(refusals: readonly { readonly what: string; readonly error: ApiError }[]) {
    super('edits were refused');
    this.refusals = refusals;
  }
}

/** Opens a text in the editor until it is accepted. Resolves to undefined if the user changed nothing. */
export async function editText<T>({ flags, io }: Invocation, editing: Editing<T>): Promise<T | undefined> {
  const unchanged = (): undefined => void io.err.write(UNCHANGED);
  const file = editedFile(editing.extension, io);
  const windows = flags.bool(windowsFlag.name);
  const heading = editing.extension === '.json' ? '' : editing.heading;
  let [body, why] = [editing.text, ''];
  let kept = false;
  let refused = false;
  try {
    for (;;) {
      const shown = `${heading}${why}${body}`;
      const text = withoutComments(await file.edit(windows ? shown.replaceAll('\n', '\r\n') : shown));
      if (text === withoutComments(shown)) {
        if (!refused) return unchanged();
        kept = true;
        throw new CommandError('Edit cancelled, no valid changes were saved.');
      }
      body = text;
      try {
        return (await editing.take(text)) ?? unchanged();
      } catch (error) {
        io.signal.throwIfAborted();
        const refusals = refusalsOf(error, editing.what);
        for (const { what, causes } of refusals) if (causes !== undefined) io.err.write(`error: ${what} is invalid\n`);
        const final = refusals.filter(({ causes }) => causes === undefined);
        if (final.length > 0) throw told(final);
        refused = true;
        why = heading === '' ? '' : refusals.map(reason).join('');
      }
    }
  } catch (error) {
    kept ||= body !== editing.text;
    throw error;
  } finally {
    if (kept) io.err.write(`A copy of your changes has been stored to ${JSON.stringify(file.file)}\n`);
    else file.remove();
  }

  /**
   * The error about refusals that the user cannot correct in the editor. The file of the text is not removed, so the
   * user can send it again.
   */
  function told(refusals: readonly Refusal[]): unknown {
    const [{ error: first }] = refusals as [Refusal];
    if (!(first instanceof ApiError)) return first;
    kept = true;
    if (editing.creates) return first;
    const lines = refusals.map(({ what, error }) =>
      error instanceof ApiError && error.code === 404
        ? `${what} could not be found on the server`
        : `${what} could not be patched: ${error instanceof ApiError ? (error.status.message ?? error.message) : error}`,
    );
    const again = refusals.some(({ error }) => !(error instanceof ApiError) || error.code !== 404);
    const hint = again ? `\nYou can run \`orchctl replace -f ${file.file}\` to try this update again.` : '';
    return new CommandError(`${lines.join('\nerror: ')}${hint}`);
  }
}

/** A refusal of a text, and its causes if the user can correct them in the editor. */
interface Refusal {
  readonly what: string;
  readonly error: unknown;
  readonly causes: readonly string[] | undefined;
}

function refusalsOf(error: unknown, what: string): Refusal[] {
  const refusals = error instanceof RefusedEdits ? error.refusals : [{ what, error }];
  return refusals.map((each) => ({ ...each, causes: causesOf(each.error) }));
}

/** The reason why the editor opens again, as a comment. */
function reason({ what, causes = [] }: Refusal): string {
  return `# ${what} was not valid:\n${causes.map(commented).join('')}#\n`;
}

const commented = (cause: string): string => `# * ${cause.replaceAll('\n', '\n# ')}\n`;

/** The errors of a text, if the user can correct them. */
function causesOf(error: unknown): readonly string[] | undefined {
  if (error instanceof UnusableText)
    return [`<nil>: Invalid value: "The edited file failed validation": ${error.message}`];
  if (!(error instanceof ApiError) || error.reason !== 'Invalid') return undefined;
  return (error.status.details?.causes ?? []).map(({ field, message }) => `${field ?? ''}: ${message ?? ''}`);
}

function withoutComments(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
}
