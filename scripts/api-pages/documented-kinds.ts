import type { Naming } from '#base/naming/naming.ts';
import type { MessageType, ResourceType, Schema } from '#schema/descriptors/types.ts';

/** A kind with a page: its newest version, and the names of the others. */
export interface DocumentedKind {
  /** The name of its page, without an ending: `deployments.apps`. */
  readonly page: string;
  readonly resource: ResourceType;
  readonly message: MessageType;
  readonly apiVersion: string;
  readonly otherVersions: readonly string[];
}

/** All kinds that have a resource, one for each group; versions are in the order of preference. */
export function documentedKinds(schema: Schema, naming: Pick<Naming, 'apiVersion'>): DocumentedKind[] {
  const found = new Map<string, { resource: ResourceType; others: string[] }>();
  for (const { resources } of schema.groupVersions) {
    for (const resource of resources) {
      const page = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
      const known = found.get(page);
      if (known === undefined) found.set(page, { resource, others: [] });
      else known.others.push(naming.apiVersion(resource.group, resource.version));
    }
  }
  return [...found].map(([page, { resource, others }]) => ({
    page,
    resource,
    message: resource.message,
    apiVersion: naming.apiVersion(resource.group, resource.version),
    otherVersions: others,
  }));
}

/** The messages that objects of a kind are made of, each once, in the order in which fields lead to them. */
export function messagesOf(root: MessageType): MessageType[] {
  const found = new Set<MessageType>();
  const visit = (message: MessageType) => {
    if (found.has(message)) return;
    found.add(message);
    for (const { message: inner } of message.jsonFields) if (inner?.jsonForm === 'object') visit(inner);
  };
  visit(root);
  return [...found];
}
