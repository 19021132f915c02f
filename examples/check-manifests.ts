// Checks manifests against a server without changing anything, for a job of continuous integration. Ends with status 1
// if the server would refuse an object or does not know one of its fields.
//
//   npm install yaml
//   node check-manifests.ts CONNECTION-FILE FILE...
import { readFileSync } from 'node:fs';
import { ApiError, type ApiObject, connect, Discovery, readConnection } from '@orch/client';
import { parseAllDocuments } from 'yaml';

const [, , connectionFile, ...files] = process.argv;
const connection = readConnection(connectionFile!);
const client = await connect(connection);
const discovered = await new Discovery(client).get();

/** The error of an object; undefined if there is none. A namespace that does not exist yet is not an error. */
async function mistakeIn(object: ApiObject): Promise<string | undefined> {
  const { apiVersion = '', kind = '', metadata } = object;
  const type = discovered.ofKind(apiVersion, kind);
  if (type === undefined) return `the server has no ${kind} of ${apiVersion}`;
  const namespace = type.namespaced ? (metadata.namespace ?? connection.namespace ?? 'default') : undefined;
  try {
    const resource = client.resource(type).in(namespace);
    await resource.apply(object, { fieldManager: 'check', force: true, dryRun: true, fieldValidation: 'Strict' });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isNamespace = error.code === 404 && error.status.details?.kind === 'namespaces';
    return isNamespace ? undefined : error.message;
  }
}

for (const file of files)
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const object = document.toJS() as ApiObject | null;
    if (object === null) continue;
    const mistake = await mistakeIn(object);
    const name = `${file}: ${object.kind} ${object.metadata?.name}`;
    console.log(mistake === undefined ? `${name} is fine` : `${name}: ${mistake}`);
    if (mistake !== undefined) process.exitCode = 1;
  }
await client.close();
