import type { Naming } from '#base/naming/naming.ts';
import type { Client } from '#client/client.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { DescriptionWriter } from './writer.ts';

/** The additional data that a description may need. */
export interface DescribeContext {
  readonly client: Client;
  readonly naming: Naming;
  /** Whether the description includes the events of the object. */
  readonly showEvents: boolean;
  /** The number of objects per request in lists of other objects. */
  readonly chunkSize: number;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/** Writes the description of an object of one kind, without its events. */
export type Describer = (
  writer: DescriptionWriter,
  object: ApiObject,
  context: DescribeContext,
) => void | Promise<void>;
