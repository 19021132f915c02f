import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { pathSegment } from '#client/path-segment.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Session } from '../connection/session.ts';
import { CommandError, throwAll } from '../framework/errors.ts';
import type { Flags } from '../framework/flag.ts';
import { distance } from '../framework/suggestions.ts';
import { EmptyFolderError, type FileObject, type FileReading, pathsOf, readFiles } from '../manifests/files.ts';
import { labelsFit, parseLabelSelector } from '../manifests/label-selector.ts';
import { namesFiles } from './flags.ts';

/** One target of a command line. It is an object (by name or from a file), or all selected objects of a type. */
export interface Target {
  readonly type: DiscoveredType;
  /** Undefined for types without namespaces, and for all namespaces. */
  readonly namespace: string | undefined;
  /**
   * Undefined means all objects that match the selectors. '' means an object of a file that has no name, so it cannot
   * be on the server.
   */
  readonly name: string | undefined;
  /** The object of a file, with its namespace added. */
  readonly object?: ApiObject;
  /** The file of the object. */
  readonly source?: string;
}

/** Whether the target is an object of a file without a name, so that it cannot be on the server. */
export function isNameless({ name, object }: Target): boolean {
  return name === '' && object !== undefined;
}

/** The objects and types that a command line names. */
export interface Selection {
  readonly targets: readonly Target[];
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly allNamespaces: boolean;
  /** Whether the user requested one object. The command then shows it alone and not as a list. */
  readonly single: boolean;
  /** Whether the arguments name types, so that no files are used. */
  readonly byArguments: boolean;
  /** Errors about items of files. The other items are used. */
  readonly errors: readonly unknown[];
}

export interface SelectionOptions {
  /** The words before the arguments, such as the type of `create deployment NAME`. */
  readonly args: readonly string[];
  /** Whether a type without a name means all of its objects (get), or nothing (delete). */
  readonly typeMeansAll?: boolean;
  /** Whether errors in files are shown without the mark `error: `. Commands that show a table do so. */
  readonly plainMistakes?: boolean;
  /** The error if the line does not name anything. */
  readonly nothing?: () => Error;
  /** Whether objects of files remain unchanged, so no namespace is added. */
  readonly asWritten?: boolean;
  /** Whether `--all` is given. */
  readonly all?: boolean;
}

/**
 * The selection that the flags `-f -k -R -l --field-selector -A --all` (if the command has them) and the arguments
 * describe. The arguments are `TYPE`, `TYPE,TYPE`, `TYPE NAME…` or `TYPE/NAME…`.
 * @throws CommandError for wrong arguments or files
 */
export async function select(session: Session, flags: Flags, options: SelectionOptions): Promise<Selection> {
  const text = (name: string) => (flags.knows(name) ? flags.text(name) : '');
  const [labelSelector, fieldSelector] = [text('selector'), text('field-selector')];
  const allNamespaces = flags.knows('all-namespaces') && flags.bool('all-namespaces');
  const common = { labelSelector, fieldSelector, allNamespaces };
  if (flags.knows('filename') && namesFiles(flags)) {
    const unread: Unread[] = [];
    const objects = await objectsOfFiles(session, flags, {
      beside: options.args,
      validated: isValidated(flags),
      onError: (error, before) => void unread.push({ error: asShown(error, options), before }),
      asReported: (error) => asShown(error, options),
    });
    const fits = parseLabelSelector(
      labelSelector,
      (mistake) => `the provided selector ${JSON.stringify(labelSelector)} is not valid: ${mistake}`,
    );
    const isChosen = ({ object }: FileObject) => labelsFit(object.metadata.labels, fits);
    const { targets, errors } = await fromFiles(session, { objects, isChosen, unread }, options);
    return { targets, errors, ...common, single: false, byArguments: false };
  }
  const { namespace, settings } = session;
  // A list has no name that would require a check of its namespace.
  if (settings.namespaceGiven && options.args.length === 1 && !options.args[0]!.includes('/'))
    checkNamespace(namespace);
  const targets = await fromArguments(session, options, allNamespaces, labelSelector !== '' || fieldSelector !== '');
  const single = targets.length === 1 && targets[0]!.name !== undefined;
  return { targets, errors: [], ...common, single, byArguments: true };
}

/** Options for reading the files of a command line. */
export interface FilesReading extends Pick<FileReading, 'validated' | 'onError'> {
  /** Words that also name objects, so they exclude files. */
  readonly beside?: readonly string[];
  /** The error to throw if the files are not readable. By default, it is the error itself. */
  readonly asReported?: (mistake: unknown) => unknown;
}

/**
 * The objects that `-f`, `-k` and `-R` name. Their types may be unknown.
 * @throws CommandError if a file is not readable or malformed
 */
export async function objectsOfFiles(
  session: Session,
  flags: Flags,
  { beside = [], asReported = (mistake) => mistake, ...reading }: FilesReading,
): Promise<FileObject[]> {
  const files = flags.list('filename');
  const folder = flags.knows('kustomize') ? flags.text('kustomize') : '';
  const recursive = flags.knows('recursive') && flags.bool('recursive');
  if (files.length > 0 && folder !== '') throw new CommandError('only one of -f or -k can be specified');
  if (folder !== '' && recursive) throw new CommandError("the -k flag can't be used with -f or -R");
  const paths = pathsOf(files);
  if (beside.length > 0)
    throw new CommandError(
      'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
    );
  if (folder !== '')
    return built(folder, session).catch((mistake: unknown) => {
      throw asReported(mistake);
    });
  return readFiles(paths, session.io, { recursive, ...reading }).catch((mistake: unknown) => {
    throw asReported(mistake);
  });
}

/** An error in files. It has no mark before it if the command shows objects. */
function asShown<T>(error: T, { plainMistakes: plain = false }: SelectionOptions): T | CommandError {
  return error instanceof CommandError && plain && !(error instanceof EmptyFolderError)
    ? new CommandError(error.message, { plain })
    : error;
}

function isValidated(flags: Flags): boolean {
  return flags.knows('validate') && !['false', 'ignore'].includes(flags.text('validate').toLowerCase());
}

/** @throws CommandError if the name is not valid */
function checkNamespace(namespace: string): void {
  try {
    pathSegment(namespace, 'namespace');
  } catch (error) {
    throw new CommandError((error as Error).message, { plain: true });
  }
}

async function built(folder: string, { io }: Session): Promise<FileObject[]> {
  const { buildKustomization } = await import('../kustomize/build.ts');
  return (await buildKustomization(folder, { warn: (text) => io.err.write(`${text}\n`) })).map((object) => ({
    object,
    source: folder,
  }));
}

async function fromArguments(
  session: Session,
  { args, typeMeansAll, nothing, all }: SelectionOptions,
  allNamespaces: boolean,
  selected: boolean,
): Promise<Target[]> {
  const fail = (message: string): never => {
    throw new CommandError(message);
  };
  const noneByName = (type: DiscoveredType) => {
    if (allNamespaces && type.namespaced) fail('a resource cannot be retrieved by name across all namespaces');
  };
  if (args.length === 0 && nothing === undefined && (selected || all === true))
    fail('at least one resource must be specified to use a selector');
  if (args.length === 0)
    throw (
      nothing?.() ??
      new CommandError(
        "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'",
      )
    );
  if (args.some((arg) => arg.includes('/'))) {
    if (all === true || selected)
      fail('selectors and the all flag cannot be used when passing resource/name arguments');
    const alone = args.find((arg) => !arg.includes('/'));
    const pairs = args.map((arg) => {
      const parts = arg.split('/');
      if (parts.length > 2) fail('arguments in resource/name form may not have more than one slash');
      if (alone !== undefined)
        fail(
          "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'orchctl get resource/<resource_name>' instead of 'orchctl get resource resource/<resource_name>'",
        );
      if (parts[0] === '' || parts[1] === '' || parts[0]!.includes(','))
        fail('arguments in resource/name form must have a single resource and name');
      return parts as [string, string];
    });
    const targets: Target[] = [];
    for (const [word, name] of pairs) {
      const type = await needType(session, word);
      noneByName(type);
      targets.push({ type, name, namespace: type.namespaced ? session.namespace : undefined });
    }
    return targets;
  }
  const [list = '', ...names] = args;
  const words = [...new Set(list.split(','))];
  if (words.length > 1 && names.length > 0 && [...words, ...names].includes(''))
    fail('arguments in resource/name form must have a single resource and name');
  const named: DiscoveredType[] = [];
  for (const word of words)
    named.push(
      ...(names.length > 0 && words.length > 1 ? [await needType(session, word)] : await needTypes(session, word)),
    );
  const types = names.length === 0 ? onceEach(named) : named;
  if (names.length === 0) {
    if (all === true && selected) fail("setting 'all' parameter but found a non empty selector. ");
    if (typeMeansAll !== true && !selected && all !== true)
      fail('resource(s) were provided, but no name was specified');
    return types.map((type) => ({
      type,
      name: undefined,
      namespace: type.namespaced && !allNamespaces ? session.namespace : undefined,
    }));
  }
  types.forEach(noneByName);
  if (selected) fail('name cannot be provided when a selector is specified');
  if (words.length === 1 && types.length > 1) fail('you must specify only one resource');
  return types.flatMap((type) =>
    names.map((name) => ({ type, name, namespace: type.namespaced ? session.namespace : undefined })),
  );
}

/** Removes duplicate types. The first occurrence of each remains. */
function onceEach(types: readonly DiscoveredType[]): DiscoveredType[] {
  const seen = new Set<string>();
  return types.filter(({ group, version, plural }) => {
    const key = `${group}/${version}/${plural}`;
    return !seen.has(key) && seen.add(key);
  });
}

async function needType(session: Session, word: string): Promise<DiscoveredType> {
  const type = await session.typeNamed(word);
  if (type === undefined) throw unknownType(word.split('.')[0]!, (await session.discovered()).preferred());
  return type;
}

/** The types that a word names. They are one type, or the types of a category such as `all`. */
async function needTypes(session: Session, word: string): Promise<DiscoveredType[]> {
  const { findType } = await import('../connection/find-type.ts');
  const discovered = await session.discovered();
  const category = discovered.preferred().filter(({ categories }) => categories.includes(word));
  if (category.length > 0 && findType(discovered, word) === undefined) return category;
  const type = await session.typeNamed(word);
  if (type !== undefined) return [type];
  const again = (await session.discovered()).preferred().filter(({ categories }) => categories.includes(word));
  return again.length > 0 ? again : [await needType(session, word)];
}

/** The error about a type that does not exist, with a hint that names similar types. */
export function unknownType(word: string, types: readonly DiscoveredType[]): CommandError {
  const near = types
    .map(({ plural, singular, shortNames }) => ({
      plural,
      far: Math.min(...[plural, singular, ...shortNames].filter(Boolean).map((name) => distance(word, name))),
    }))
    .filter(({ far, plural }) => far <= Math.max(1, Math.min(2, plural.length / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ plural }) => plural);
  const list = 'Use "orchctl api-resources" for a list of all types.';
  return new CommandError(`the server doesn't have a resource type ${JSON.stringify(word)}`, {
    hint: near.length === 0 ? list : `Did you mean ${[...new Set(near)].join(', ')}? ${list}`,
  });
}

/** An error in files, and the number of objects before it. */
interface Unread {
  readonly error: CommandError;
  readonly before: number;
}

/** The content of files. */
interface FileContents {
  readonly objects: readonly FileObject[];
  readonly isChosen: (one: FileObject) => boolean;
  readonly unread: readonly Unread[];
}

/** The objects of files with known types, and the errors about other objects, in the order of the files. */
async function fromFiles(
  session: Session,
  { objects, isChosen, unread }: FileContents,
  { plainMistakes: plain = false, asWritten = false }: SelectionOptions,
): Promise<{ targets: Target[]; errors: unknown[] }> {
  const targets: Target[] = [];
  const errors: unknown[] = [];
  let reported = 0;
  for (const [n, one] of objects.entries()) {
    for (; reported < unread.length && unread[reported]!.before <= n; reported++) errors.push(unread[reported]!.error);
    if (!isChosen(one)) continue;
    const { object, source } = one;
    const { apiVersion = '', kind = '', metadata } = object;
    const type = await session.typeOf(apiVersion, kind);
    if (type === undefined) {
      errors.push(
        new CommandError(
          `resource mapping not found for name: "${metadata.name ?? ''}" namespace: "${metadata.namespace ?? ''}" from "${source}": no matches for kind "${kind}" in version "${apiVersion}"\nensure CRDs are installed first`,
          { plain },
        ),
      );
      continue;
    }
    const { namespace, namespaceGiven } = session.settings;
    const own = metadata.namespace ?? '';
    if (type.namespaced && own !== '' && namespaceGiven && own !== namespace) {
      errors.push(
        new CommandError(
          `the namespace from the provided object "${own}" does not match the namespace "${namespace}". You must pass '--namespace=${own}' to perform this operation.`,
        ),
      );
      continue;
    }
    const at = type.namespaced ? own || namespace : undefined;
    targets.push({
      ...{ type, namespace: at, name: metadata.name ?? '', source },
      object: asWritten ? object : placed(object, at),
    });
  }
  errors.push(...unread.slice(reported).map(({ error }) => error));
  if (targets.length === 0) throwAll(errors);
  return { targets, errors };
}

/** An object with its namespace, or without one. */
function placed(object: ApiObject, namespace: string | undefined): ApiObject {
  const { namespace: own, ...metadata } = object.metadata;
  if (namespace === own) return object;
  return { ...object, metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
}
