import { renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { findConnectionFiles } from '#client/connection/find-connection.ts';
import { makeFolder } from '#program/files/make-folder.ts';
import { fileFields } from '../connection/file-fields.ts';
import { CommandError } from '../framework/errors.ts';
import type { Flags } from '../framework/flag.ts';
import type { Io } from '../framework/io.ts';
import { toYaml } from '../output/yaml.ts';
import { type Document, emptyDocument, type Fields, type Section, sections, toObject } from './document.ts';

/** The connection files of a user, for reading and changing. An entry is changed in the file that contains it. */
export class ConfigFiles {
  /** The files in order of precedence. */
  readonly paths: readonly string[];
  readonly #documents: ReadonlyMap<string, Document>;

  constructor(flags: Flags, io: Io) {
    const found = findConnectionFiles(flags.text('kubeconfig') || undefined, io.env, io.home);
    const own = path.join(io.home, createNaming(namingProfiles[0]!).clientFolder, 'config');
    this.paths = found.length > 0 ? found : [own];
    this.#documents = new Map(this.paths.map((file) => [file, read(file)]));
  }

  /** All files merged into one document. If several files have an entry, the first file counts. */
  merged(): Document {
    const whole = emptyDocument();
    for (const document of this.#documents.values()) {
      for (const section of Object.keys(sections) as Section[])
        for (const [name, fields] of document[section]) if (!whole[section].has(name)) whole[section].set(name, fields);
      whole.currentContext ||= document.currentContext;
      whole.preferences = { ...document.preferences, ...whole.preferences };
      whole.extensions ??= document.extensions;
    }
    return whole;
  }

  /**
   * The file that contains an entry. A new entry is written to the first file that exists, or else to the last file.
   */
  fileOf(section: Section, name: string): string {
    for (const [file, document] of this.#documents) if (document[section].has(name)) return file;
    return this.defaultFile;
  }

  /** The file that names the current context. */
  get fileOfCurrent(): string {
    for (const [file, { currentContext }] of this.#documents) if (currentContext !== '') return file;
    return this.defaultFile;
  }

  get defaultFile(): string {
    return this.paths.find((file) => statSync(file, { throwIfNoEntry: false }) !== undefined) ?? this.paths.at(-1)!;
  }

  /** The document of one of the files. Callers change it before they call `write`. */
  in(file: string): Document {
    return this.#documents.get(file) ?? emptyDocument();
  }

  /** Writes a file that only its owner can read. Readers see either the old or the new file, never a part. */
  write(file: string): void {
    const own = `${file}.${process.pid}.new`;
    try {
      makeFolder(path.dirname(file));
      writeFileSync(own, toYaml(toObject(this.in(file))), { mode: 0o600 });
      renameSync(own, file);
    } catch (error) {
      throw new CommandError(`cannot write ${file}: ${(error as Error).message}`);
    }
  }
}

function read(file: string): Document {
  const given = fileFields(file) ?? {};
  const document = emptyDocument();
  for (const { name, cluster } of given.clusters ?? []) document.clusters.set(name, { ...cluster });
  for (const { name, user } of given.users ?? []) document.users.set(name, { ...user });
  for (const { name, context } of given.contexts ?? []) document.contexts.set(name, { ...context });
  document.currentContext = given['current-context'] ?? '';
  const { preferences } = given;
  document.preferences = typeof preferences === 'object' && preferences !== null ? (preferences as Fields) : {};
  document.extensions = given.extensions ?? undefined;
  return document;
}
