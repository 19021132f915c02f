/** The fields of an entry, as they are in the file. */
export type Fields = Record<string, unknown>;

/** The lists of a connection file, each with the field that contains the settings of an entry. */
export const sections = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;
export type Section = keyof typeof sections;

/** A connection file in the form for editing. Entries are found by name, and other fields are unchanged. */
export interface Document {
  readonly clusters: Map<string, Fields>;
  readonly users: Map<string, Fields>;
  readonly contexts: Map<string, Fields>;
  currentContext: string;
  preferences: Fields;
  extensions: unknown;
}

export function emptyDocument(): Document {
  return {
    clusters: new Map(),
    users: new Map(),
    contexts: new Map(),
    currentContext: '',
    preferences: {},
    extensions: undefined,
  };
}

/** The order of fields in JSON output. */
const ORDER: Readonly<Record<Section, readonly string[]>> = {
  clusters: [
    'server',
    'tls-server-name',
    'insecure-skip-tls-verify',
    'certificate-authority',
    'certificate-authority-data',
    'proxy-url',
    'disable-compression',
    'extensions',
  ],
  users: [
    'client-certificate',
    'client-certificate-data',
    'client-key',
    'client-key-data',
    'token',
    'tokenFile',
    'as',
    'as-uid',
    'as-groups',
    'as-user-extra',
    'username',
    'password',
    'auth-provider',
    'exec',
    'extensions',
  ],
  contexts: ['cluster', 'user', 'namespace', 'extensions'],
};

const EXEC_ORDER = ['command', 'args', 'env', 'apiVersion', 'installHint', 'provideClusterInfo', 'interactiveMode'];

/** The document in the form of the file, with its fields in order. */
export function toObject(document: Document): Fields {
  const list = (section: Section) => {
    const entries = [...document[section]].sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0) return null;
    return entries.map(([name, fields]) => ({ name, [sections[section]]: ordered(fields, ORDER[section]) }));
  };
  return {
    kind: 'Config',
    apiVersion: 'v1',
    preferences: document.preferences,
    clusters: list('clusters'),
    users: list('users'),
    contexts: list('contexts'),
    'current-context': document.currentContext,
    ...(document.extensions === undefined ? {} : { extensions: document.extensions }),
  };
}

function ordered(fields: Fields, order: readonly string[]): Fields {
  const known = order.filter((name) => fields[name] !== undefined);
  const others = Object.keys(fields).filter((name) => !order.includes(name) && fields[name] !== undefined);
  return Object.fromEntries(
    [...known, ...others].map((name) => [
      name,
      name === 'exec' && typeof fields[name] === 'object' && fields[name] !== null
        ? ordered(fields[name] as Fields, EXEC_ORDER)
        : fields[name],
    ]),
  );
}
