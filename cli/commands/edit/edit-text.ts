import { ApiError } from '#client/errors.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { windowsFlag } from '../../resources/flags.ts';
import { editedFile } from './open-editor.ts';

/** A text that people change until it is taken. */
export interface Editing<T> {
  /** Lines of comment above the text, where it may have such. */
  readonly heading: string;
  readonly text: string;
  /** Of the file, `.yaml` or `.json`. */
  readonly extension: string;
  /** What the text is about, as in `pods "web" is invalid`. */
  readonly what: string;
  /**
   * Takes a changed text; resolves with undefined where it says the same.
   * @throws UnusableText, ApiError of what is invalid, to ask again
   */
  readonly take: (text: string) => Promise<T | undefined>;
  /** That nothing was changed is told elsewhere. */
  readonly quiet?: boolean;
  /** The text is of something new: what the server says of it is told as it stands. */
  readonly creates?: true;
}

/** What is told where nothing was changed. */
export const UNCHANGED = 'Edit cancelled, no changes made.\n';

/** A text that says nothing that could be sent. */
export class UnusableText extends Error {
  override readonly name = 'UnusableText';
}

/** Shows a text in the editor, again and again until it is taken. Undefined where nothing was changed. */
export async function editText<T>({ flags, io }: Invocation, editing: Editing<T>): Promise<T | undefined> {
  const unchanged = (): undefined => void (editing.quiet || io.err.write(UNCHANGED));
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
        const causes = causesOf(error);
        if (causes === undefined) throw await told(error);
        refused = true;
        io.err.write(`error: ${editing.what} is invalid\n`);
        why = heading === '' ? '' : `# ${editing.what} was not valid:\n${causes.map(commented).join('')}#\n`;
      }
    }
  } catch (error) {
    kept ||= body !== editing.text;
    throw error;
  } finally {
    if (kept) io.err.write(`A copy of your changes has been stored to ${JSON.stringify(file.file)}\n`);
    else file.remove();
  }

  /** What the server would not take, though it is valid: it can be sent once more as it is. */
  async function told(error: unknown): Promise<unknown> {
    if (!(error instanceof ApiError)) return error;
    kept = true;
    if (editing.creates) return error;
    if (error.code === 404) return new CommandError(`${editing.what} could not be found on the server`);
    return new CommandError(
      `${editing.what} could not be patched: ${error.status.message ?? error.message}\nYou can run \`orchctl replace -f ${file.file}\` to try this update again.`,
    );
  }
}

const commented = (cause: string): string => `# * ${cause.replaceAll('\n', '\n# ')}\n`;

/** What is wrong with a text, where people can mend it. */
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
