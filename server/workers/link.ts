import { timerMs } from '#base/time/longest-timer.ts';
import type { FamilyValues } from '#program/metrics/family-definition.ts';

/** Messages between the processes of one replica, and their answers. */
export interface Questions {
  /** Asks whether the process is alive. */
  readonly ping: null;
  /** Asks the process to finish its requests and end. It answers when this has begun. */
  readonly stop: null;
  /** Asks for the metrics of the process itself. */
  readonly values: readonly FamilyValues[];
  /** Asks for the metrics of all workers, added up like those of one server. */
  readonly metrics: readonly FamilyValues[];
  /**
   * The names of failed checks of a health path: of a worker itself, or of all other workers if the supervisor answers.
   */
  readonly healthz: readonly string[];
  readonly livez: readonly string[];
  readonly readyz: readonly string[];
}

export type Question = keyof Questions;

/** The functions by which one side answers questions. Questions without a function are refused. */
export type Answers = { readonly [Q in Question]?: () => Questions[Q] | Promise<Questions[Q]> };

/** The end of a channel between two processes. The parent has it for a worker, and in the worker it is `process`. */
export interface ChannelEnd {
  send?(message: object, done: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

type Message =
  | { readonly ask: Question; readonly id: number }
  | { readonly answer: unknown; readonly id: number }
  | { readonly failure: string; readonly id: number };

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Questions and answers over the channel between a supervisor and one of its workers, in both directions. */
export class Link {
  readonly #end: ChannelEnd;
  readonly #answers: Answers;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(end: ChannelEnd, answers: Answers) {
    this.#end = end;
    this.#answers = answers;
    end.on('message', (message) => void this.#receive(message as Message));
  }

  /** Rejects if no answer arrives within `timeoutMs`, or if the other side fails or ends. */
  ask<Q extends Question>(question: Q, timeoutMs: number): Promise<Questions[Q]> {
    const id = ++this.#asked;
    return new Promise<Questions[Q]>((resolve, reject) => {
      const timer = setTimeout(() => settle.reject(new Error(`no answer within ${timeoutMs} ms`)), timerMs(timeoutMs));
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
      };
      const settle: Waiting = {
        resolve: (answer) => {
          end();
          resolve(answer as Questions[Q]);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      this.#waiting.set(id, settle);
      this.#send({ ask: question, id }, settle.reject);
    });
  }

  async #receive(message: Message): Promise<void> {
    if ('ask' in message) {
      const { id } = message;
      const reply = await this.#answer(message.ask).then(
        (answer) => ({ answer, id }),
        (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error), id }),
      );
      // The asking process may have ended.
      this.#send(reply, () => {});
    } else if ('failure' in message) this.#waiting.get(message.id)?.reject(new Error(message.failure));
    else this.#waiting.get(message.id)?.resolve(message.answer);
  }

  async #answer(question: Question): Promise<unknown> {
    const answer = this.#answers[question];
    if (answer === undefined) throw new Error(`this process does not answer ${question}`);
    return answer();
  }

  #send(message: Message, failed: (error: Error) => void): void {
    if (this.#end.send === undefined) failed(new Error('the channel is closed'));
    else
      this.#end.send(message, (error) => {
        if (error !== null && error !== undefined) failed(error);
      });
  }
}
