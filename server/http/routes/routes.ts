import type { Answer } from '../../api/answer.ts';
import type { Routes } from '../../api/resource-handler.ts';
import type { Health } from '../../observability/health.ts';
import type { MetricsPage } from '../../observability/metrics-page.ts';
import type { ServedDocuments } from '../../openapi/served-documents.ts';
import type { FlowControl } from '../../priority/flow-control.ts';
import type { Registry } from '../../resources/registry.ts';
import type { ComponentPages } from './component-pages.ts';
import type { debugRoutes } from './debug.ts';
import { Discovery, type ListedGroups } from './discovery.ts';
import { flowDumps } from './flow-dumps.ts';
import { logs } from './logs.ts';
import { documentTypes, openapiAnswer, openapiPaths } from './openapi.ts';
import { type PlainDocument, plainDocument } from './plain-document.ts';
import { version, versionDocument } from './version.ts';

const RELIABILITY = '/metrics/slis';

/** Answers `/`: the paths that this server has. */
function rootPaths(paths: readonly string[]): Answer {
  const body = Buffer.from(JSON.stringify({ paths: [...paths].sort() }, undefined, 2));
  return { kind: 'bytes', status: 200, contentType: 'application/json', body };
}

/** The routes besides resources. */
export interface RouteSources {
  readonly registry: Registry;
  /** The host and port of the server in discovery. */
  readonly externalAddress: string;
  readonly health: Health;
  readonly metrics: MetricsPage;
  readonly openapi: ServedDocuments;
  /** The content of discovery. */
  readonly groups: ListedGroups;
  readonly documents: readonly PlainDocument[];
  /** The pages `/statusz` and `/flagz`. */
  readonly pages: ComponentPages;
  /** The results of health checks as metrics of reliability; undefined if they are off. */
  readonly reliability?: MetricsPage | undefined;
  /** The pages below `/debug`; undefined if profiling is off. */
  readonly debug: ReturnType<typeof debugRoutes> | undefined;
  /** The fair queues whose state can be shown; undefined if there are none. */
  readonly flowControl?: FlowControl | undefined;
}

/** Answers all paths without a resource; undefined for unknown paths. */
export function createRoutes(sources: RouteSources): Routes {
  const { registry, externalAddress, health, metrics, openapi, groups, documents, pages, reliability, debug } = sources;
  const ownVersion = versionDocument(registry.schema.release);
  const types = documentTypes(registry.schema.release);
  const discovery = new Discovery(registry, externalAddress, groups);
  const servesLogs = !registry.schema.release.atLeast(31);
  const paths = () => [
    ...discovery.paths,
    '/apis/',
    ...health.paths,
    ...openapiPaths,
    ...documents.map((document) => document.path),
    ...pages.paths,
    ...(servesLogs ? ['/logs'] : []),
    '/metrics',
    ...(reliability === undefined ? [] : [RELIABILITY]),
    '/version',
  ];
  return async (context) => {
    const { path, method } = context.info;
    if (path === '/' || path === '/index.html') return rootPaths(paths());
    if (path === '/metrics' && method !== 'DELETE') return metrics.answer(context.header('accept'));
    if (path === RELIABILITY && method !== 'DELETE' && reliability !== undefined)
      return reliability.answer(context.header('accept'));
    return (
      (await health.answer(context)) ??
      version(context, ownVersion) ??
      (servesLogs ? logs(context) : undefined) ??
      pages.answer(context, paths) ??
      flowDumps(context, sources.flowControl) ??
      plainDocument(context, documents) ??
      (await openapiAnswer(context, types, () => openapi.now())) ??
      (await debug?.(context)) ??
      (await discovery.answer(context))
    );
  };
}
