export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** An answer whose head has arrived. */
export interface Incoming {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Reads the whole body. */
  text(): Promise<string>;
  /**
   * The pieces of the body in their order. While the caller does not read, the server waits. If the caller leaves the
   * loop, the answer ends.
   */
  pieces(): AsyncGenerator<Buffer, void, void>;
}

/** How many pieces may wait for the reader before the connection is paused. */
const WAITING_PIECES = 16;

/** An answer after its head has arrived, while its body arrives. */
export class Answer implements Incoming {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly #body: Body;

  constructor(status: number, headers: AnswerHeaders, body: Body) {
    this.status = status;
    this.headers = headers;
    this.#body = body;
  }

  text(): Promise<string> {
    return this.#body.text();
  }

  pieces(): AsyncGenerator<Buffer, void, void> {
    return this.#body.pieces();
  }
}

/** The part of an answer that has arrived and that the reader has not read yet. */
export class Body {
  onWait: ((wait: boolean) => void) | undefined;
  onLeave: (() => void) | undefined;
  #pieces: Buffer[] = [];
  #ended = false;
  #failure: Error | undefined;
  /** The caller reads the whole body at once, so the connection is never paused. */
  #whole = false;
  #waiting = false;
  #wake: (() => void) | undefined;

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    if (!this.#whole && !this.#waiting && this.#pieces.length >= WAITING_PIECES) {
      this.#waiting = true;
      this.onWait?.(true);
    }
    if (!this.#whole) this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: Error): void {
    if (this.#ended) return;
    this.#failure ??= error;
    this.#wake?.();
  }

  async text(): Promise<string> {
    this.#whole = true;
    this.#goOn();
    while (!this.#ended && this.#failure === undefined) await this.#something();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#pieces.length === 1 ? this.#pieces[0]!.toString() : Buffer.concat(this.#pieces).toString();
  }

  async *pieces(): AsyncGenerator<Buffer, void, void> {
    let whole = false;
    try {
      for (;;) {
        const piece = this.#pieces.shift();
        if (piece !== undefined) yield piece;
        else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#ended) break;
        else {
          this.#goOn();
          await this.#something();
        }
      }
      whole = true;
    } finally {
      if (!whole && !this.#ended) this.onLeave?.();
    }
  }

  #goOn(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.onWait?.(false);
  }

  #something(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
