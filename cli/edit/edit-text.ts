import { ApiError } from '../../client/errors.ts';
import type { Invocation } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import { windowsFlag } from '../resources/flags.ts';
import { editedFile } from './open-editor.ts';

/** A text that people change until it is taken. */
export interface Editing<T> {
  /** Lines of comment above the text. */
  readonly heading: string;
  readonly text: string;
  /** Of the file, `.yaml` or `.json`. */
  readonly extension: string;
  /** What the text is about, as in `pods "web" could not be changed`. */
  readonly what: string;
  /** Takes a changed text; resolves with undefined where it says the same. @throws ApiError, CommandError to ask again */
  readonly take: (text: string) => Promise<T | undefined>;
}

/** Shows a text in the editor, again and again until it is taken. Undefined where nothing was changed. */
export async function editText<T>({ flags, io }: Invocation, editing: Editing<T>): Promise<T | undefined> {
  const cancelled = (why: string): undefined => void io.err.write(`${why}\n`);
  const file = editedFile(editing.extension, io);
  const windows = flags.bool(windowsFlag.name);
  let [body, why] = [editing.text, ''];
  let kept = false;
  try {
    for (;;) {
      const shown = `${editing.heading}${why}${body}`;
      const text = withoutComments(await file.edit(windows ? shown.replaceAll('\n', '\r\n') : shown));
      if (text.trim() === '') return cancelled('Edit cancelled, saved file was empty.');
      if (text === withoutComments(shown)) {
        if (why === '') return cancelled('Edit cancelled, no changes made.');
        kept = true;
        throw new CommandError('Edit cancelled, no valid changes were saved.', { plain: true });
      }
      body = text;
      try {
        return (await editing.take(text)) ?? cancelled('Edit cancelled, no changes made.');
      } catch (error) {
        io.signal.throwIfAborted();
        // Nobody reads the file again where the server cannot be reached.
        if (!(error instanceof ApiError) && !(error instanceof CommandError)) throw error;
        const message = error instanceof ApiError ? (error.status.message ?? error.message) : error.message;
        io.err.write(`error: ${editing.what} could not be changed: ${message}\n`);
        why = `${message.replaceAll(/^/gm, '# ')}\n#\n`;
      }
    }
  } catch (error) {
    kept ||= body !== editing.text;
    throw error;
  } finally {
    if (kept) io.err.write(`A copy of your changes has been stored to ${JSON.stringify(file.file)}\n`);
    else file.remove();
  }
}

function withoutComments(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
}
