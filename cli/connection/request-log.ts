import { harmlessText } from '#base/text/terminal-text.ts';
import type { Caller } from '#client/caller.ts';
import { ApiError } from '#client/errors.ts';
import type { AnswerHeaders, Incoming } from '#client/http/answer.ts';
import type { Upgraded } from '#client/http/exchange.ts';
import type { Answer, Call, UpgradeCall } from '#client/http/transport.ts';
import { warningsIn } from '#client/http/warnings.ts';
import type { User } from '#program/connection/connection.ts';
import type { Io } from '../framework/io.ts';
import { logHeader } from '../framework/log-header.ts';

/** The number of bytes of a body that level 8 shows. Level 9 shows 10,240 bytes, and level 10 shows all bytes. */
const SHOWN_AT_8 = 1024;
const SHOWN_AT_9 = 10_240;

/**
 * Logs requests on the error stream, at the level of `-v`. Level 6 adds one line for each request, level 7 headers, and
 * level 8 bodies. Level 9 adds the request as a curl command with masked secrets. Each warning of the server is shown
 * once.
 */
export class RequestLog implements Caller {
  readonly #caller: Caller;
  readonly #server: string;
  readonly #level: number;
  readonly #io: Io;
  readonly #user: User;
  readonly #onWarning: () => void;
  readonly #warned = new Set<string>();

  constructor(caller: Caller, server: string, level: number, io: Io, user: User, onWarning: () => void) {
    this.#caller = caller;
    this.#server = server.replace(/\/+$/, '');
    this.#level = level;
    this.#io = io;
    this.#user = user;
    this.#onWarning = onWarning;
  }

  async call(call: Call): Promise<Answer> {
    const began = this.#before(call);
    try {
      const answer = await this.#caller.call({ ...call, signal: call.signal ?? this.#io.signal });
      this.#after(call, began, answer.status, answer.headers);
      if (this.#level >= 8) this.#body('Response Body', answer.text);
      return answer;
    } catch (error) {
      this.#failed(call, began, error);
      throw error;
    }
  }

  async open(call: Call): Promise<Incoming> {
    const began = this.#before(call);
    try {
      const incoming = await this.#caller.open({ ...call, signal: call.signal ?? this.#io.signal });
      this.#after(call, began, incoming.status, incoming.headers);
      return incoming;
    } catch (error) {
      this.#failed(call, began, error);
      throw error;
    }
  }

  async upgrade(call: UpgradeCall): Promise<Upgraded> {
    const began = this.#before(call);
    try {
      const upgraded = await this.#caller.upgrade({ ...call, signal: call.signal ?? this.#io.signal });
      this.#after(call, began, 101, upgraded.headers);
      return upgraded;
    } catch (error) {
      this.#failed(call, began, error);
      throw error;
    }
  }

  /** Writes a line of the log. */
  say(text: string): void {
    this.#io.err.write(`${logHeader('I', this.#io)}${text}\n`);
  }

  #before(call: Call | UpgradeCall): number {
    if (this.#level >= 8) this.#body('Request Body', call.body === undefined ? '' : String(call.body));
    if (this.#level >= 9) this.say(this.#curl(call));
    else if (this.#level >= 7) {
      this.say(`${call.method} ${this.#server}${call.path}`);
      this.say('Request Headers:');
      for (const [name, value] of this.#headers(call)) this.say(`    ${name}: ${value}`);
    }
    // The first use of this clock loads a module, which most calls do not need.
    return this.#level < 6 ? 0 : performance.now();
  }

  #after(call: Call | UpgradeCall, began: number, status: number, headers: AnswerHeaders): void {
    for (const warning of warningsIn(headers)) this.#warn(warning);
    if (this.#level < 6) return;
    const ms = Math.round(performance.now() - began);
    if (this.#level === 6 || this.#level >= 9)
      this.say(`${call.method} ${this.#server}${call.path} ${status} in ${ms} milliseconds`);
    else this.say(`Response Status: ${status} in ${ms} milliseconds`);
    if (this.#level < 8) return;
    this.say('Response Headers:');
    for (const [name, value] of Object.entries(headers)) this.say(`    ${name}: ${String(value)}`);
  }

  #failed(call: Call | UpgradeCall, began: number, error: unknown): void {
    if (!(error instanceof ApiError)) return;
    this.#after(call, began, error.code, error.headers);
    if (this.#level >= 8) this.#body('Response Body', JSON.stringify(error.status));
  }

  #warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#onWarning();
    const { err, env } = this.#io;
    const coloured = err.columns !== undefined && !env['NO_COLOR'];
    if (coloured) err.write(`\u001b[33;1mWarning:\u001b[0m ${harmlessText(text)}\n`, true);
    else err.write(`Warning: ${text}\n`);
  }

  #headers(call: Call | UpgradeCall): [string, string][] {
    const secret = this.#user.token !== undefined || this.#user.exec !== undefined;
    const authorization = secret ? 'Bearer <masked>' : this.#user.username === undefined ? undefined : 'Basic <masked>';
    return [
      ...Object.entries(call.headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
      ...(authorization === undefined ? [] : ([['Authorization', authorization]] as [string, string][])),
    ];
  }

  #curl(call: Call | UpgradeCall): string {
    const headers = this.#headers(call).map(([name, value]) => ` -H ${shellQuoted(`${name}: ${value}`)}`);
    return `curl -v -X${call.method} ${headers.join('')} '${this.#server}${call.path}'`;
  }

  #body(what: string, text: string): void {
    const most = this.#level >= 10 ? Number.POSITIVE_INFINITY : this.#level >= 9 ? SHOWN_AT_9 : SHOWN_AT_8;
    const shown = text.length <= most ? text : `${text.slice(0, most)} [truncated ${text.length - most} chars]`;
    this.say(
      shown === '' ? `"${what}" body=""` : `"${what}" body=<\n\t${shown.trimEnd().replaceAll('\n', '\n\t')}\n >`,
    );
  }
}

function shellQuoted(text: string): string {
  return `"${text.replaceAll(/["\\$`]/g, '\\$&')}"`;
}
