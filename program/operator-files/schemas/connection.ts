import { anything, fields, filledText, list, map, text, textLike, truth, versioned } from '../schema.ts';

const base64 = textLike(/^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/, 'must be base64');

const extensions = list(fields({ name: text() }, { extension: anything() }));

const cluster = fields(
  {},
  {
    server: text(),
    'tls-server-name': text(),
    'insecure-skip-tls-verify': truth(),
    'certificate-authority': text(),
    'certificate-authority-data': base64,
    'proxy-url': text(),
    'disable-compression': truth(),
    extensions,
  },
);

/**
 * The code that uses the plug-in checks required members, because a file may contain users that the program does not
 * need.
 */
const exec = fields(
  {},
  {
    command: text(),
    args: list(text()),
    env: list(fields({ name: text(), value: text() }, {})),
    apiVersion: text(),
    installHint: text(),
    provideClusterInfo: truth(),
    interactiveMode: text(),
  },
);

const user = fields(
  {},
  {
    'client-certificate': text(),
    'client-certificate-data': base64,
    'client-key': text(),
    'client-key-data': base64,
    token: text(),
    tokenFile: text(),
    as: text(),
    'as-uid': text(),
    'as-groups': list(text()),
    'as-user-extra': map(list(text())),
    username: text(),
    password: text(),
    'auth-provider': anything(),
    exec,
    extensions,
  },
);

const context = fields({}, { cluster: text(), user: text(), namespace: text(), extensions });

export const connectionFile = versioned(
  {},
  {
    preferences: anything(),
    clusters: list(fields({ name: filledText() }, { cluster })),
    users: list(fields({ name: filledText() }, { user })),
    contexts: list(fields({ name: filledText() }, { context })),
    'current-context': text(),
    extensions,
  },
);
