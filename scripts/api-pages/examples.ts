import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';

/** An example object, and its text in `proto/examples/`. */
export interface Example {
  readonly file: string;
  readonly text: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata?: { readonly name?: string; readonly namespace?: string };
  };
}

/**
 * All examples of a folder, in the order of files and of documents.
 *
 * @throws Error with the name of a file that is not YAML of objects
 */
export function readExamples(folder: string): Example[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) =>
      readFileSync(path.join(folder, file), 'utf8')
        .split(/^---\n/m)
        .map((text) => {
          const [document] = parseAllDocuments(text);
          if (document === undefined || !('errors' in document) || document.errors.length > 0)
            throw new Error(`${file}: not a document of YAML`);
          const object = document.toJS() as Example['object'];
          if (object?.apiVersion === undefined || object.kind === undefined)
            throw new Error(`${file}: a document without apiVersion and kind`);
          return { file, text, object };
        }),
    );
}
