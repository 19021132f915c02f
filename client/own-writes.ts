import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { isFields, textOf } from './answers.ts';
import type { ListOptions } from './resource-client.ts';
import { nameOf, type ResourceType } from './resource-type.ts';
import { isNotOlder } from './resource-version.ts';

/** How many deletions are remembered for each type. The oldest is forgotten first. */
const MOST_DELETIONS = 1000;

/** The part of a copy of a collection that {@link OwnWrites} uses. Informers have it. */
export interface VersionedCopy {
  /** The version of the copy; undefined before the first list. */
  readonly version: string | undefined;
  find(by: (object: ApiObject) => readonly string[], value: string): readonly unknown[];
  /** Resolves when a condition holds. The condition is checked whenever the copy has changed. */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void>;
}

const byUid = ({ metadata }: ApiObject): readonly string[] => [metadata.uid ?? ''];

/** The writes to one type. */
interface Written {
  /** The newest version in the answers to writes. */
  version: string | undefined;
  /** Uids of deleted objects, for deletions whose answer did not contain a version. */
  readonly deleted: Set<string>;
}

/**
 * Remembers the versions that a client has written, so that its later reads are at least as new. A "most recent" read
 * of the server always is. A copy (an informer) can be slightly older, and so can a read of "any version".
 *
 * @example
 * const writes = new OwnWrites();
 * const own = client.remembering(writes).resource(coreV1.configmaps).in('default');
 * await own.create({ metadata: { name: 'a' } });
 * await writes.seenBy(copy, coreV1.configmaps, signal); // copy.get('default/a') is there
 * await own.list(writes.notOlder(coreV1.configmaps)); // and in a list from the server's memory
 */
export class OwnWrites {
  readonly #written = new Map<string, Written>();
  /** The naming of the client that makes the writes. */
  #naming: Naming | undefined;

  /** Records the answer to a write. Clients that remember their writes call this. */
  note(type: ResourceType, naming: Naming, answer: unknown): void {
    if (!isFields(answer)) return;
    const { kind, metadata, details } = answer;
    this.#naming = naming;
    const written = this.#of(type, naming);
    if (kind === 'Status') {
      const uid = isFields(details) ? textOf(details['uid']) : '';
      if (uid !== '') written.deleted.add(uid);
      const [oldest = ''] = written.deleted;
      if (written.deleted.size > MOST_DELETIONS) written.deleted.delete(oldest);
      return;
    }
    const version = isFields(metadata) ? textOf(metadata['resourceVersion']) : '';
    if (version !== '' && (written.version === undefined || isNotOlder(version, written.version)))
      written.version = version;
  }

  /** The newest version that the client has written of a type; undefined without a write. */
  newest(type: ResourceType): string | undefined {
    return this.#naming && this.#of(type, this.#naming).version;
  }

  /**
   * Options of a list that includes all writes of a type so far. The server answers it from memory, which costs less
   * than a "most recent" list. Without a write the options are empty, and the list is "most recent".
   */
  notOlder(type: ResourceType): Pick<ListOptions, 'resourceVersion' | 'resourceVersionMatch'> {
    const version = this.newest(type);
    return version === undefined ? {} : { resourceVersion: version, resourceVersionMatch: 'NotOlderThan' };
  }

  /**
   * Resolves when a copy contains every write of its type so far. A copy with a selector may learn of a write to
   * another object only with the next bookmark, which can take a minute. A deleted object must be gone from the copy.
   * An object that the copy never contained may still appear and disappear later.
   *
   * @throws the reason of the signal if it is aborted
   */
  async seenBy<T extends ApiObject>(copy: VersionedCopy, type: ResourceType<T>, signal?: AbortSignal): Promise<void> {
    if (this.#naming === undefined) return;
    const { version, deleted } = this.#of(type as ResourceType, this.#naming);
    const gone = [...deleted];
    await copy.until(
      () =>
        (version === undefined || (copy.version !== undefined && isNotOlder(copy.version, version))) &&
        gone.every((uid) => copy.find(byUid, uid).length === 0),
      signal,
    );
  }

  #of(type: ResourceType, naming: Naming): Written {
    const name = nameOf(type, naming);
    let written = this.#written.get(name);
    if (written === undefined) {
      written = { version: undefined, deleted: new Set() };
      this.#written.set(name, written);
    }
    return written;
  }
}
