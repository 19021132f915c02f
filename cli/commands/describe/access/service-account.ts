import { coreV1 } from '#client/generated/resources.ts';
import type { Secret, ServiceAccount } from '#schema/generated/core.v1.ts';
import type { Describer } from '../describer.ts';
import { heading } from '../heading.ts';

/** Describes a service account. Shows the secrets that its pods may use, and the secrets with its tokens. */
export const describeServiceAccount: Describer = async (writer, object, { client, naming }) => {
  const { metadata, imagePullSecrets, secrets } = object as ServiceAccount;
  const type = naming.key('service-account-token');
  const all = await client
    .resource(coreV1.secrets)
    .in(metadata.namespace)
    .list()
    .catch(() => undefined);
  const there = new Set(all?.items.map(({ metadata: { name } }) => name));
  const annotated = ({ metadata: { annotations } }: Secret, key: string) =>
    annotations?.[naming.key(`service-account.${key}`)];
  const tokens = (all?.items ?? []).filter(
    (secret) =>
      secret.type === type && annotated(secret, 'name') === metadata.name && annotated(secret, 'uid') === metadata.uid,
  );
  const shown = (names: readonly { readonly name?: string }[] | null | undefined) =>
    (names ?? []).map(({ name = '' }) => (all === undefined || there.has(name) ? name : `${name} (not found)`));
  heading(writer, object);
  writer.list(0, 'Image pull secrets', shown(imagePullSecrets));
  writer.list(0, 'Mountable secrets', shown(secrets));
  writer.list(
    0,
    'Tokens',
    tokens.map((secret) => secret.metadata.name!),
  );
};
