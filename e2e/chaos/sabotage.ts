import type { SourceChange } from '../changed-build.ts';

/** Deliberate faults. Each breaks a promise that the checker checks. */
export const sabotages = {
  /** A read of the most recent state returns the state of this replica, without a request to etcd. */
  staleReads: {
    file: 'server/cache/freshness.ts',
    from: 'if (this.#probing === undefined) return this.#probe();',
    to: 'return Promise.resolve(this.#frontier.revision);',
  },
  /** A watch continues with changes from now on, and omits those after the version that it names. */
  skippedEvent: {
    file: 'server/verbs/watch.ts',
    from: 'cache.subscribe(version, predicate',
    to: 'cache.subscribe(Math.max(version, registry.cache.frontier), predicate',
  },
  /** An instance that has led once acts as the leader for ever. */
  endlessLeadership: {
    file: 'client/leader/leadership.ts',
    from: 'if (!this.signal.aborted) this.#controller.abort(new FencedError(why));',
    to: 'void why; void FencedError;',
  },
  /** The server stores an object even if the definition against which it was checked has changed. */
  olderSchema: {
    file: 'server/verbs/create.ts',
    from: '...conditionsOf(restsOf(stored, write)),',
    to: '',
  },
} as const satisfies Record<string, SourceChange>;
