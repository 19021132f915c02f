import type { SourceChange } from '../changed-build.ts';

/** Deliberate mistakes, each of which breaks a promise that the checker watches over. */
export const sabotages = {
  /** "Most recent" is the state of this replica: it does not ask etcd. */
  staleReads: {
    file: 'server/cache/freshness.ts',
    from: 'if (this.#probing === undefined) return this.#probe();',
    to: 'return Promise.resolve(this.#frontier.revision);',
  },
  /** A watch continues with changes from now on, and loses those after the version that it names. */
  skippedEvent: {
    file: 'server/verbs/watch.ts',
    from: 'cache.subscribe(version, predicate',
    to: 'cache.subscribe(Math.max(version, registry.cache.frontier), predicate',
  },
  /** An instance that has led once acts for ever. */
  endlessLeadership: {
    file: 'client/leader/leadership.ts',
    from: 'if (!this.signal.aborted) this.#controller.abort(new FencedError(why));',
    to: 'void why; void FencedError;',
  },
  /** The server stores an object even if the definition that it was checked against has changed. */
  olderSchema: {
    file: 'server/verbs/create.ts',
    from: '...conditionsOf(restsOf(stored, write)),',
    to: '',
  },
} as const satisfies Record<string, SourceChange>;
