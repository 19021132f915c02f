import { setTimeout as sleep } from 'node:timers/promises';
import type { Violation } from '../checker/history.ts';
import { type Answer, NoAnswer } from '../client.ts';
import { namespaces } from '../collections.ts';
import { PREFIX, Recorder } from '../recorder.ts';
import type { System } from '../system.ts';
import type { WorkerContext } from '../workload.ts';
import { checkDefinitions } from './check.ts';

/**
 * The number of kinds that are created and deleted during the run. One client changes each kind, and other clients use
 * it.
 */
const KINDS = 2;
const USERS = 3;
/** The number of object names. It is small, so that a definition always has objects to remove with it. */
const NAMES = 12;
/** The pause between two steps of a client, in milliseconds. */
const PAUSE = 150;
/** The longest time in which the last definitions must be removed, in milliseconds. */
const SETTLE = 60_000;

const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const STORED = 'apiextensions/customresourcedefinitions/';
const [NAMESPACE] = namespaces;

const groupOf = (kind: number): string => `chaos${kind}.example.com`;
const nameOf = (kind: number): string => `things.${groupOf(kind)}`;

/** The name of a key in the history. Undefined for keys that this run does not use. */
function keyOf(stored: string): string | undefined {
  const isOwn = Array.from({ length: KINDS }, (_, kind) => kind).some(
    (kind) => stored === STORED + nameOf(kind) || stored.startsWith(`${groupOf(kind)}/things/`),
  );
  return isOwn ? stored : undefined;
}

const words = {
  isDefinition: (key: string): boolean => key.startsWith(STORED),
  definitionOf: (key: string): string => `${STORED}things.${key.slice(0, key.indexOf('/'))}`,
};

/** A definition whose objects must name the edition for which they were made. */
function definition(kind: number, edition: number): object {
  const n = { type: 'integer', enum: [edition] };
  const spec = { type: 'object', required: ['n'], properties: { n } };
  return {
    metadata: { name: nameOf(kind), labels: { id: `edition-${edition}` } },
    spec: {
      group: groupOf(kind),
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec } } },
        },
      ],
    },
  };
}

/** Makes, changes and removes definitions while clients create objects of them. */
export class CustomKinds {
  readonly #recorder: Recorder;
  readonly #editions = Array.from({ length: KINDS }, () => 0);
  readonly #ended: Promise<unknown>;
  readonly #context: (name: string, index: number) => WorkerContext;

  /** Starts at once. `context` provides the connections and records for each client, until its `stop`. */
  constructor({ members }: System, context: (name: string, index: number) => WorkerContext) {
    const endpoints = members.processes.map(({ endpoint }) => endpoint);
    this.#recorder = new Recorder(endpoints, PREFIX, 1, keyOf);
    this.#context = context;
    this.#ended = Promise.all(
      this.#editions.flatMap((_, kind) => [
        this.#define(context(`definer ${kind}`, kind), kind),
        ...Array.from({ length: USERS }, (_, i) =>
          this.#use(context(`user ${kind}.${i}`, KINDS + kind * USERS + i), kind),
        ),
      ]),
    );
  }

  /** Removes the remaining objects and returns the violations. Callers undo all faults first. */
  async check(): Promise<Violation[]> {
    await this.#ended;
    const violations: Violation[] = [];
    const last = this.#context('last definer', KINDS * (USERS + 1));
    const giveUpAt = Date.now() + SETTLE;
    for (let kind = 0; kind < KINDS; kind++) {
      const path = `${DEFINITIONS}/${nameOf(kind)}`;
      for (let status = 0; status !== 404; ) {
        status = (await call(last, 'DELETE', path))?.status ?? 0;
        if (status !== 404 && Date.now() > giveUpAt) {
          const message = `${nameOf(kind)} has not gone ${SETTLE / 1000} s after the last fault: ${status}`;
          violations.push({ law: 'outlived', message });
          break;
        }
        await sleep(200);
      }
    }
    const marked = await call(last, 'POST', DEFINITIONS, definition(0, 0));
    await this.#recorder.reach(Number(marked?.body.metadata?.resourceVersion ?? 0));
    return [...violations, ...checkDefinitions(this.#recorder.changes, words)];
  }

  async stop(): Promise<void> {
    await this.#recorder.stop();
  }

  async #define(context: WorkerContext, kind: number): Promise<void> {
    const { random, stop, journal } = context;
    const path = `${DEFINITIONS}/${nameOf(kind)}`;
    while (!stop.aborted) {
      const edition = this.#editions[kind]! + 1;
      const step = random.weighted<'make' | 'change' | 'remove'>([
        [3, 'make'],
        [6, 'change'],
        [1, 'remove'],
      ]);
      const answer =
        step === 'make'
          ? await call(context, 'POST', DEFINITIONS, definition(kind, edition))
          : step === 'remove'
            ? await call(context, 'DELETE', path)
            : await call(context, 'PATCH', path, definition(kind, edition), 'application/merge-patch+json');
      if (answer !== undefined && answer.status < 300) journal.count(`definitions: ${step}`);
      // The request is recorded even without an answer, because the server may have executed it.
      const mayBeDone = answer === undefined || answer.status < 300 || answer.status >= 500;
      if (step !== 'remove' && mayBeDone) this.#editions[kind] = edition;
      await pause(context);
    }
  }

  async #use(context: WorkerContext, kind: number): Promise<void> {
    const { random, stop, journal } = context;
    const collection = `/apis/${groupOf(kind)}/v1/namespaces/${NAMESPACE}/things`;
    while (!stop.aborted) {
      const name = `t${random.between(1, NAMES)}`;
      // The edition is mostly the current one, and sometimes the previous or the next one.
      const edition = this.#editions[kind]! + random.of([0, 0, 0, -1, 1]);
      const id = `made-${edition}-${journal.nextId()}`;
      const object = { metadata: { name, labels: { id } }, spec: { n: edition } };
      const answer = random.chance(0.25)
        ? await call(context, 'DELETE', `${collection}/${name}`)
        : await call(context, 'POST', collection, { apiVersion: `${groupOf(kind)}/v1`, kind: 'Thing', ...object });
      if (answer !== undefined) journal.count(`custom objects: ${answer.status}`);
      await pause(context);
    }
  }
}

async function call(
  context: WorkerContext,
  method: string,
  path: string,
  body?: object,
  type?: string,
): Promise<Answer | undefined> {
  const { client, ports, random } = context;
  const sent =
    body === undefined || type !== undefined || !path.startsWith(DEFINITIONS)
      ? body
      : { apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition', ...body };
  try {
    return await client.call(random.of(ports), method, path, sent, type);
  } catch (error) {
    // The answer may also be a page instead of JSON, if the kind does not exist.
    if (error instanceof NoAnswer) return undefined;
    throw error;
  }
}

function pause({ random, stop }: WorkerContext): Promise<void> {
  return sleep(random.between(0, PAUSE * 2), undefined, { signal: stop }).catch(() => {});
}
