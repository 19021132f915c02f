import type { Client } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import { apiVersionOf } from '#client/resource-type.ts';
import type { Connection } from '#program/connection/connection.ts';
import type { Writers } from '../protocol/control-plane.ts';
import type { Catalog, LookRequest } from '../protocol/messages.ts';
import type { KindSchema } from '../protocol/object-messages.ts';
import { readAccess } from './access-to-object.ts';
import { Kinds } from './catalog.ts';
import { changeObject } from './change-object.ts';
import { ControlPlaneReader } from './control-plane/control-plane.ts';
import { readWriters } from './control-plane/writers.ts';
import { KindSchemas, withReferences } from './kind-schemas.ts';
import { ObjectReader } from './object-details.ts';
import { ExplainedError, RequestError } from './problem.ts';
import { RelationReader } from './relations.ts';
import { changeRequest, count, deleteRequest, type Fields, objectRequest, saveRequest, text } from './requests.ts';
import { saveObject } from './save-object.ts';
import { type Channel, Tab } from './tab.ts';
import { TableSources } from './table-source.ts';
import { WhyNot } from './why-not.ts';

export interface ApiOptions {
  readonly client: Client;
  /** The connection of the client, used to reach single processes of the control plane. */
  readonly connection: Connection;
  /**
   * Addresses of managers, `10.0.0.1:10257`; if there are none, the console tries the usual ports beside the replicas.
   */
  readonly managers: readonly string[];
  readonly server: string;
  readonly namespace: string;
  readonly mayWrite: boolean;
}

/**
 * The largest number of pages in view at a time. A browser opens six connections to one server: each page needs one for
 * its stream, and all pages together need one for their requests.
 */
const MOST_TABS = 5;

/** The largest number of rows that a page sees at once. */
const MOST_ROWS = 500;

/** Answers the requests of the page. */
export class Api {
  readonly #options: ApiOptions;
  readonly #kinds: Kinds;
  readonly #objects: ObjectReader;
  readonly #schemas: KindSchemas;
  readonly #relations: RelationReader;
  readonly #why: WhyNot;
  readonly #sources: TableSources;
  readonly #controlPlane: ControlPlaneReader;
  readonly #tabs = new Map<string, Tab>();
  readonly #answers: ReadonlyMap<string, (fields: Fields) => Promise<unknown>>;

  constructor(options: ApiOptions) {
    const { client } = options;
    this.#options = options;
    this.#kinds = new Kinds(client);
    this.#schemas = new KindSchemas(client);
    this.#objects = new ObjectReader(client, this.#kinds, this.#schemas);
    this.#relations = new RelationReader(client, this.#kinds);
    this.#why = new WhyNot(client, this.#kinds);
    this.#sources = new TableSources(client, this.#why);
    this.#controlPlane = new ControlPlaneReader(client, options.connection, options.managers);
    this.#answers = new Map<string, (fields: Fields) => Promise<unknown>>([
      ['GET catalog', () => this.#catalog()],
      ['GET access', (fields) => this.#kinds.access(text(fields, 'namespace') || options.namespace)],
      ['GET object', (fields) => this.#objects.details(objectRequest(fields))],
      ['GET version', (fields) => this.#objects.version(objectRequest(fields))],
      ['GET versions', (fields) => this.#objects.versions(objectRequest(fields))],
      ['GET relations', (fields) => this.#relations.of(objectRequest(fields))],
      ['GET who-can', (fields) => readAccess(client, this.#kinds, objectRequest(fields))],
      ['GET schema', (fields) => this.#schema(text(fields, 'kind'))],
      ['GET control-plane', () => this.#controlPlane.look()],
      ['GET writers', (fields) => this.#writers(text(fields, 'kind'))],
      ['POST look', (fields) => this.#look(lookRequest(fields))],
      ['POST save', (fields) => this.#save(fields)],
      ['POST change', (fields) => this.#change(fields)],
      ['POST delete', (fields) => this.#delete(fields)],
    ]);
  }

  /** @throws RequestError if the console has no such request, ExplainedError for errors of the answer */
  async answer(name: string, method: string, fields: Fields): Promise<unknown> {
    const answer = this.#answers.get(`${method} ${name}`);
    if (answer === undefined) throw new RequestError(`the console has no ${method} ${name}`);
    try {
      return await answer(fields);
    } catch (error) {
      const { namespace } = fields;
      throw new ExplainedError(await this.#why.problemOf(error, typeof namespace === 'string' ? namespace : ''));
    }
  }

  /** Whether another page may be opened. */
  get hasRoom(): boolean {
    return this.#tabs.size < MOST_TABS;
  }

  open(id: string, channel: Channel): void {
    this.#tabs.set(id, new Tab(this.#sources, channel));
  }

  close(id: string): void {
    this.#tabs.get(id)?.end();
    this.#tabs.delete(id);
  }

  end(): void {
    for (const id of [...this.#tabs.keys()]) this.close(id);
    this.#sources.end();
    this.#controlPlane.end();
  }

  async #catalog(): Promise<Catalog> {
    const { server, namespace, mayWrite } = this.#options;
    const [{ kinds, missing }, namespaces] = await Promise.all([this.#kinds.all(), this.#kinds.namespaces()]);
    return { server, namespace, namespaces, kinds, missing, mayWrite };
  }

  async #writers(kind: string): Promise<Writers> {
    const type = await this.#kinds.type(kind);
    return readWriters(this.#options.client, type, apiVersionOf(type, this.#options.client.naming));
  }

  async #look(request: LookRequest): Promise<void> {
    const type = await this.#kinds.type(request.kind);
    const namespace = type.namespaced && request.namespace !== '' ? request.namespace : undefined;
    const { labelSelector, fieldSelector } = request;
    this.#tabs.get(request.tab)?.look({ type, namespace, labelSelector, fieldSelector }, request);
  }

  async #schema(kind: string): Promise<Partial<KindSchema>> {
    const published = await this.#schemas.of(await this.#kinds.type(kind));
    return published === undefined ? {} : withReferences(published);
  }

  async #save(fields: Fields): Promise<unknown> {
    const request = saveRequest(fields);
    // A dry run changes nothing, and shows possible refusals.
    if (!request.dryRun) this.#mayWrite();
    const { client } = this.#options;
    return saveObject({ client, kinds: this.#kinds, schemas: this.#schemas, objects: this.#objects }, request);
  }

  async #change(fields: Fields): Promise<unknown> {
    const request = changeRequest(fields);
    if (!request.dryRun) this.#mayWrite();
    return changeObject(this.#objects, this.#options.client, request);
  }

  async #delete(fields: Fields): Promise<void> {
    const { uid, name, dryRun, orphans, ...where } = deleteRequest(fields);
    if (!dryRun) this.#mayWrite();
    const preconditions = uid === '' ? undefined : { uid };
    const propagationPolicy = orphans ? 'Orphan' : 'Background';
    await (await this.#objects.resource(where)).delete(name, { preconditions, propagationPolicy, dryRun });
  }

  #mayWrite(): void {
    if (this.#options.mayWrite) return;
    const message = 'This console only reads. Start it with --write to change something.';
    throw new ApiError(403, { message, reason: 'ReadOnlyConsole' });
  }
}

function lookRequest(fields: Fields): LookRequest {
  const { sort } = fields;
  if (typeof sort !== 'number' && sort !== 'name' && sort !== 'namespace' && sort !== 'age')
    throw new RequestError('sort must be a column');
  return {
    tab: text(fields, 'tab'),
    kind: text(fields, 'kind'),
    namespace: text(fields, 'namespace'),
    labelSelector: text(fields, 'labelSelector'),
    fieldSelector: text(fields, 'fieldSelector'),
    filter: text(fields, 'filter').slice(0, 200),
    sort,
    descending: fields['descending'] === true,
    from: count(fields, 'from', Number.MAX_SAFE_INTEGER),
    count: count(fields, 'count', MOST_ROWS),
    turn: count(fields, 'turn', Number.MAX_SAFE_INTEGER),
  };
}
