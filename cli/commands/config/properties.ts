import { type Fields, type Section, sections } from '../../connection-files/document.ts';
import type { ConfigFiles } from '../../connection-files/files.ts';
import { CommandError } from '../../framework/errors.ts';

/** The types of values that fields of entries accept. */
type Kind = 'text' | 'bool' | 'bytes' | 'texts';

const KINDS: Readonly<Record<Section, ReadonlyMap<string, Kind>>> = {
  clusters: new Map<string, Kind>([
    ['server', 'text'],
    ['tls-server-name', 'text'],
    ['insecure-skip-tls-verify', 'bool'],
    ['certificate-authority', 'text'],
    ['certificate-authority-data', 'bytes'],
    ['proxy-url', 'text'],
    ['disable-compression', 'bool'],
  ]),
  users: new Map<string, Kind>([
    ['client-certificate', 'text'],
    ['client-certificate-data', 'bytes'],
    ['client-key', 'text'],
    ['client-key-data', 'bytes'],
    ['token', 'text'],
    ['tokenFile', 'text'],
    ['as', 'text'],
    ['as-uid', 'text'],
    ['as-groups', 'texts'],
    ['username', 'text'],
    ['password', 'text'],
  ]),
  contexts: new Map<string, Kind>([
    ['cluster', 'text'],
    ['user', 'text'],
    ['namespace', 'text'],
  ]),
};

/** A property of a connection file, such as `clusters.NAME.server`, `current-context` or `preferences.colors`. */
interface Place {
  readonly section: Section | 'current-context' | 'preferences';
  readonly name: string;
  readonly field: string | undefined;
}

/**
 * Sets the property that `config set` names.
 * @param raw whether the value is the bytes themselves, not base64
 * @throws CommandError if the property does not exist or the value is wrong
 */
export function setProperty(files: ConfigFiles, property: string, value: string, raw: boolean): void {
  const { section, name, field } = placeOf(property);
  if (section === 'current-context') {
    const file = files.fileOfCurrent;
    files.in(file).currentContext = value;
    files.write(file);
    return;
  }
  if (section === 'preferences') {
    const file = files.defaultFile;
    files.in(file).preferences[name] = parseBool(value);
    files.write(file);
    return;
  }
  if (field === undefined) throw new CommandError(`${property} is not a field: name one, as in ${property}.FIELD`);
  const file = files.fileOf(section, name);
  const entry: Fields = files.in(file)[section].get(name) ?? {};
  entry[field] = fieldValue(section, field, value, raw);
  if (section === 'clusters') entry['server'] ??= '';
  files.in(file)[section].set(name, entry);
  files.write(file);
}

/** Removes the property that `config unset` names. @throws CommandError if the property does not exist */
export function unsetProperty(files: ConfigFiles, property: string): void {
  const { section, name, field } = placeOf(property);
  let file = files.defaultFile;
  if (section === 'current-context') {
    file = files.fileOfCurrent;
    files.in(file).currentContext = '';
  } else if (section === 'preferences') delete files.in(file).preferences[name];
  else {
    file = files.fileOf(section, name);
    if (name === '') files.in(file)[section].clear();
    else if (field === undefined) files.in(file)[section].delete(name);
    else if (files.in(file)[section].has(name)) delete files.in(file)[section].get(name)![field];
    else throw new CommandError(`current map key \`${name}\` is invalid`);
  }
  files.write(file);
}

function placeOf(property: string): Place {
  const [section, ...rest] = property.split('.');
  if (section === 'current-context' && rest.length === 0) return { section, name: '', field: undefined };
  if (section === 'preferences') return { section, name: rest.join('.'), field: undefined };
  if (section === undefined || !Object.hasOwn(sections, section))
    throw new CommandError(`unable to parse ${property} after [] at api.Config`);
  const own = section as Section;
  // Names of entries may contain dots. Names of fields do not.
  const last = rest.at(-1) ?? '';
  if (rest.length > 1 && KINDS[own].has(last)) return { section: own, name: rest.slice(0, -1).join('.'), field: last };
  if (rest.length > 1 && !last.includes(' ') && /^[a-z-]+$/.test(last) && rest.length === 2)
    return { section: own, name: rest[0]!, field: last };
  return { section: own, name: rest.join('.'), field: undefined };
}

function fieldValue(section: Section, field: string, value: string, raw: boolean): unknown {
  const kind = KINDS[section].get(field);
  if (kind === undefined)
    throw new CommandError(
      `entries of ${section} have no field ${JSON.stringify(field)}: it is one of ${[...KINDS[section].keys()].join(', ')}`,
    );
  if (kind === 'bool') return parseBool(value);
  if (kind === 'texts') return value.split(',').filter((text) => text !== '');
  if (kind === 'text') return value;
  if (raw) return Buffer.from(value).toString('base64');
  const bytes = Buffer.from(value, 'base64');
  const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(value);
  if (wrong !== null || value.replaceAll(/[\r\n]/g, '').length % 4 !== 0)
    throw new CommandError(`error decoding input value: illegal base64 data at input byte ${wrong?.index ?? 0}`);
  return bytes.toString('base64');
}

function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  throw new CommandError(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`);
}
