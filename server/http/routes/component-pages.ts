import { methodNotAllowed, StatusError } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { toYaml } from '#schema/yaml/write.ts';
import type { Answer } from '../../api/answer.ts';
import { parseAccept } from '../../api/negotiation.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { FeatureGates } from '../../config/feature-gates.ts';
import { GO_VERSION } from './version.ts';

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

/** The versions of the documents. The last one is deprecated. */
const VERSIONS = ['v1beta1', 'v1alpha1'] as const;

type DocumentVersion = (typeof VERSIONS)[number];

/** Paths of objects and documents. The diagnosis pages leave them out. */
const NOT_FOR_DEBUGGING = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known']);

/** The sources of this component's pages. */
export interface ComponentPageSources {
  readonly naming: Naming;
  readonly release: Release;
  readonly gates: FeatureGates;
  /** Names and values of all flags. */
  readonly flags: readonly (readonly [name: string, value: string])[];
}

/** One page: its kind, its content for programs, and its lines for people. */
interface Page {
  readonly kind: 'Statusz' | 'Flagz';
  readonly path: string;
  readonly gate: string;
  content(paths: readonly string[]): JsonObject;
  lines(paths: readonly string[]): string[];
}

/** The form of a page that a client prefers: text, or a version of the document in a media type. */
type Form = 'text' | { readonly version: DocumentVersion; readonly type: 'json' | 'yaml' };

/**
 * The form of an answer by the Accept header. A client must ask for a document by version, group and kind.
 *
 * @throws StatusError (406)
 */
function formOf(accept: string | undefined, kind: string, group: string): Form {
  if (accept === undefined || accept.trim() === '') return 'text';
  for (const { type, subtype, params } of parseAccept(accept)) {
    const asked = params.has('as') || params.has('g') || params.has('v');
    if (!asked) {
      if ((type === 'text' || type === '*') && (subtype === 'plain' || subtype === '*')) return 'text';
      continue;
    }
    const version = VERSIONS.find((known) => known === params.get('v'));
    if (version === undefined || params.get('as') !== kind || params.get('g') !== group) continue;
    if ((type === 'application' && (subtype === 'json' || subtype === '*')) || type === '*')
      return { version, type: 'json' };
    if (type === 'application' && subtype === 'yaml') return { version, type: 'yaml' };
  }
  const message = 'only the following media types are accepted: application/json, application/yaml, text/plain';
  throw new StatusError(406, 'NotAcceptable', message);
}

/** `5 hr 03 min 20 sec` */
function upTime(seconds: number): string {
  const two = (number: number) => String(Math.floor(number) % 60).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(seconds / 60)} min ${two(seconds)} sec`;
}

/** `Sun Nov 29 16:14:45 UTC 2026` */
function unixDate(date: Date): string {
  const [day = '', inMonth = '', month, year, time] = date.toUTCString().split(' ');
  return `${day.replace(',', '')} ${month} ${String(Number(inMonth)).padStart(2)} ${time} UTC ${year}`;
}

/** The first part of each debugging path, each once. */
function folders(paths: readonly string[]): string[] {
  const first = paths.map((path) => `/${path.split('/')[1] ?? ''}`);
  return [...new Set(first)].filter((folder) => folder !== '/' && !NOT_FOR_DEBUGGING.has(folder)).sort();
}

function statusPage({ release }: ComponentPageSources): Page {
  const started = new Date(Date.now() - process.uptime() * 1000);
  const binaryVersion = release.gitVersion.slice(1);
  return {
    kind: 'Statusz',
    path: '/statusz',
    gate: 'ComponentStatusz',
    content: (paths) => ({
      startTime: `${started.toISOString().slice(0, 19)}Z`,
      uptimeSeconds: Math.floor(process.uptime()),
      goVersion: GO_VERSION,
      binaryVersion,
      emulationVersion: release.name,
      paths: folders(paths),
    }),
    lines: (paths) => [
      '',
      `Started: ${unixDate(started)}`,
      `Up: ${upTime(process.uptime())}`,
      `Go version: ${GO_VERSION}`,
      `Binary version: ${binaryVersion}`,
      `Emulation version: ${release.name}`,
      `Paths: ${folders(paths).join(' ')}`,
    ],
  };
}

function flagsPage({ flags }: ComponentPageSources): Page {
  // An address may contain a password.
  const shown = flags
    .map(([name, value]) => [name, value.replace(/\/\/[^/@\s,]*@/g, '//CLASSIFIED@')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    kind: 'Flagz',
    path: '/flagz',
    gate: 'ComponentFlagz',
    content: () => ({ flags: Object.fromEntries(shown) }),
    lines: () => shown.map(([name, value]) => `${name}=${value}`),
  };
}

/** The pages `/statusz` and `/flagz`. They show which process this is, and its flags. */
export class ComponentPages {
  readonly #naming: Naming;
  readonly #pages: readonly Page[];

  constructor(sources: ComponentPageSources) {
    this.#naming = sources.naming;
    this.#pages = [statusPage(sources), flagsPage(sources)].filter(({ gate }) => sources.gates.enabled(gate));
  }

  get paths(): readonly string[] {
    return this.#pages.map(({ path }) => path);
  }

  /**
   * Answers the path of a page; undefined for all other paths.
   *
   * @param listed all paths of the server
   * @throws StatusError (405, 406)
   */
  answer(context: RequestContext, listed: () => readonly string[]): Answer | undefined {
    const page = this.#pages.find(({ path }) => path === context.info.path);
    if (page === undefined) return undefined;
    if (context.info.method !== 'GET') throw methodNotAllowed();
    const group = this.#naming.group('config');
    const form = formOf(context.header('accept'), page.kind, group);
    const component = 'apiserver';
    if (form === 'text') {
      const lines = ['', `${component} ${page.kind.toLowerCase()}`, WARNING, ...page.lines(listed()), ''];
      return {
        kind: 'bytes',
        status: 200,
        contentType: 'text/plain; charset=utf-8',
        body: Buffer.from(lines.join('\n')),
      };
    }
    if (form.version === 'v1alpha1')
      context.warnings.add(
        `This version of the ${page.kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`,
      );
    const document = {
      kind: page.kind,
      apiVersion: `${group}/${form.version}`,
      metadata: { name: component },
      ...page.content(listed()),
    };
    const text = form.type === 'json' ? JSON.stringify(document) : toYaml(document);
    return { kind: 'bytes', status: 200, contentType: `application/${form.type}`, body: Buffer.from(text) };
  }
}
