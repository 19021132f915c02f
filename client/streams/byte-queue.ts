/**
 * Pieces of a stream in order of arrival. A caller takes an exact number of bytes from them. Bytes that span several
 * pieces are copied once.
 */
export class ByteQueue {
  #pieces: Buffer[] = [];
  /** The number of available bytes. */
  length = 0;

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.length += piece.length;
  }

  /** Returns the first bytes without removing them. The queue must contain as many bytes. */
  peek(count: number): Buffer {
    if (this.#pieces.length > 1 && this.#pieces[0]!.length < count) this.#join(count);
    return this.#pieces[0]!.subarray(0, count);
  }

  /** Returns and removes the first bytes. The queue must contain as many bytes. */
  take(count: number): Buffer {
    if (count === 0) return Buffer.alloc(0);
    const bytes = this.peek(count);
    const first = this.#pieces[0]!;
    if (first.length === count) this.#pieces.shift();
    else this.#pieces[0] = first.subarray(count);
    this.length -= count;
    return bytes;
  }

  /** Joins pieces until the first piece contains this many bytes. */
  #join(count: number): void {
    let many = 0;
    for (let bytes = 0; bytes < count && many < this.#pieces.length; many++) bytes += this.#pieces[many]!.length;
    this.#pieces.unshift(Buffer.concat(this.#pieces.splice(0, many)));
  }
}
