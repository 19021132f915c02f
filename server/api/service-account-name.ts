const PREFIX = 'system:serviceaccount:';

/** The group of all service accounts. */
const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts';

/** The user name of a service account. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** The groups to which every service account belongs. */
export function serviceAccountGroups(namespace: string): string[] {
  return [ALL_SERVICE_ACCOUNTS, `${ALL_SERVICE_ACCOUNTS}:${namespace}`];
}

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** The account in a user name; undefined if the name is not that of a valid account. */
export function parseServiceAccountUser(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const parts = user.slice(PREFIX.length).split(':');
  const [namespace = '', name = ''] = parts;
  if (parts.length !== 2 || !label.test(namespace) || name.length > 253 || !subdomain.test(name)) return undefined;
  return { namespace, name };
}
