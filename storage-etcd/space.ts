/** How long the store counts as full after the last evidence, in milliseconds. */
const REMEMBERED_MS = 60_000;

/** Whether the store has space for writes, according to its last answer. */
export class Space {
  #ranOutAt: number | undefined;

  get full(): boolean {
    return this.#ranOutAt !== undefined && performance.now() - this.#ranOutAt < REMEMBERED_MS;
  }

  /**
   * Called when a write was refused because there is no room, or when a member says that its database has reached the
   * quota.
   */
  ranOut(): void {
    this.#ranOutAt = performance.now();
  }

  /** Called after a write, or when every member has space. */
  sufficed(): void {
    this.#ranOutAt = undefined;
  }
}
