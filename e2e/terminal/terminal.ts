import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureTool } from '#scripts/ensure-tool.ts';
import { programToTest } from '#scripts/programs.ts';

const WITHIN_MS = 30_000;

/** Matches the shell's prompt in the last line, perhaps after a `^C` that Ctrl-C left. */
const PROMPT = /(?:^|\n|\^C)\$ ?\n*$/;
/** Matches a screen with only the prompt. */
const CLEAR = /^\$ ?\n*$/;

/** A shell in a terminal of 100 columns. The test types into it, and tmux contains its screen. */
export class Terminal {
  /** The folder in which the shell starts. */
  readonly folder = mkdtempSync(path.join(tmpdir(), 'terminal-'));
  /** The folder for temporary files of its programs. */
  readonly #temporary = path.join(this.folder, 'tmp');
  readonly #tmux = ensureTool('tmux', 'tmux');
  readonly #socket = `orchctl-${process.pid}-${path.basename(this.folder)}`;

  /** @param connectionFile the connection file of `orchctl` in the terminal */
  constructor(connectionFile: string) {
    const bin = path.join(this.folder, 'bin');
    for (const folder of [bin, this.#temporary]) mkdirSync(folder);
    const { main, environment } = programToTest('cli/main');
    this.script('bin/orchctl', `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(main)} "$@"`);
    const env = {
      ...environment,
      HOME: this.folder,
      ORCHCONFIG: connectionFile,
      LANG: 'C.UTF-8',
      PATH: `${bin}${path.delimiter}${process.env['PATH']}`,
      TERM: 'xterm-256color',
      TMPDIR: this.#temporary,
    };
    // The program that starts the shell removes the prompt from the environment, so the command sets it.
    const shell = "exec env 'PS1=$ ' HISTFILE= bash --noprofile --norc";
    execFileSync(
      this.#tmux,
      [...this.#server, 'new-session', '-d', '-x', '100', '-y', '40', '-c', this.folder, shell],
      {
        env,
      },
    );
  }

  get #server(): string[] {
    return ['-L', this.#socket, '-f', '/dev/null'];
  }

  #run(...args: string[]): string {
    return execFileSync(this.#tmux, [...this.#server, ...args], { encoding: 'utf8' });
  }

  /** Makes an executable in the folder. Returns its path. */
  script(name: string, text: string): string {
    const file = path.join(this.folder, name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** Types a text, and then a key (`Enter`, `Tab`, `C-c`), if one is given. */
  type(text: string, key?: string): void {
    if (text !== '') this.#run('send-keys', '-l', text);
    if (key !== undefined) this.#run('send-keys', key);
  }

  /** The text on the screen. With `styles`, it includes the codes of colours and weights. */
  screen(styles = false): string {
    return this.#run('capture-pane', '-p', '-J', ...(styles ? ['-e'] : []));
  }

  /**
   * Waits until the screen shows a pattern, and resolves to the screen. Rejects with the screen after half a minute.
   */
  async shows(pattern: RegExp, styles = false): Promise<string> {
    for (const until = Date.now() + WITHIN_MS; ; await sleep(50)) {
      const screen = this.screen(styles);
      if (pattern.test(screen)) return screen;
      if (Date.now() > until) throw new Error(`the terminal does not show ${pattern}, but:\n${screen}`);
    }
  }

  /** Files that programs have left in the folder, without those that make their next start faster. */
  leftBehind(): string[] {
    return readdirSync(this.#temporary).filter((name) => name !== 'node-compile-cache');
  }

  /** Waits for the end of a command, reads its exit code and clears the screen. Resolves to the code. */
  async ended(): Promise<number> {
    await this.shows(PROMPT);
    this.type('echo ended:$?', 'Enter');
    const screen = await this.shows(/^ended:\d+$/m);
    this.type('clear', 'Enter');
    await this.shows(CLEAR);
    return Number(/^ended:(\d+)$/m.exec(screen)![1]);
  }

  stop(): void {
    this.#run('kill-server');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
