import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Connection } from '#program/connection/connection.ts';

/**
 * The connection files of a user. These are the named file, or else the files in the environment (`ORCHCONFIG`, or the
 * variable of another naming profile), or else the file in the user's home. Files of a list may be missing.
 *
 * @param named the file that a flag of the program names, which takes precedence
 * @example findConnectionFiles(flag) // ['/home/me/.orch/config']
 */
export function findConnectionFiles(
  named: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): readonly string[] {
  if (named) return [named];
  const namings = namingProfiles.map(createNaming);
  for (const { connectionVariable } of namings) {
    const listed = env[connectionVariable]?.split(path.delimiter).filter((file) => file !== '') ?? [];
    if (listed.length > 0) return listed.length === 1 ? listed : listed.filter((file) => existsSync(file));
  }
  const own = namings.map(({ clientFolder }) => path.join(home, clientFolder, 'config'));
  return own.filter((file) => existsSync(file)).slice(0, 1);
}

/** The connection that every pod gets; undefined outside of a pod. */
export function connectionOfPod(env: NodeJS.ProcessEnv = process.env, root = '/'): Connection | undefined {
  for (const naming of namingProfiles.map(createNaming)) {
    const variable = (what: string) => env[`${naming.product.toUpperCase()}_SERVICE_${what}`];
    const [host, port] = [variable('HOST'), variable('PORT')];
    const folder = path.join(root, 'var/run/secrets', naming.domain(), 'serviceaccount');
    if (!host || !port || !existsSync(path.join(folder, 'token'))) continue;
    const namespace = path.join(folder, 'namespace');
    return {
      cluster: {
        server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
        ca: { file: path.join(folder, 'ca.crt') },
      },
      user: { token: { file: path.join(folder, 'token') } },
      ...(existsSync(namespace) ? { namespace: readFileSync(namespace, 'utf8').trim() } : {}),
    };
  }
  return undefined;
}
