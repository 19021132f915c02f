import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { type FieldError, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import { badRequest, invalid, StatusError } from '#base/errors/status-error.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Pod, PodLogOptions } from '#schema/generated/core.v1.ts';
import { bodyOf } from '../api/exchange.ts';
import { checkAccepted, negotiate, parseAccept } from '../api/negotiation.ts';
import { int64 } from '../api/parse-query.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { upgradeOf } from '../api/upgrade.ts';
import { WebSocketOutput } from '../api/web-socket.ts';
import { badGateway, UnverifiedBackend } from '../outbound/backend.ts';
import { type Connections, queryFlag } from './connect/connection.ts';
import { chosenContainer } from './connect/container.ts';
import { askForStream } from './connect/relay.ts';
import { storedOne } from './connect/stored-one.ts';

/** How many bytes of a node agent's error message are forwarded. */
const COMPLAINT_LIMIT = 50_000;

const MOMENT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * The time in a parameter of the query; undefined if the query does not have the parameter.
 *
 * @throws StatusError (400) if a time does not have the format of RFC 3339
 */
function moment(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (text === null || text === '' || text === 'null') return undefined;
  if (!MOMENT.test(text) || Number.isNaN(Date.parse(text))) {
    throw badRequest(`${name}: ${JSON.stringify(text)} is not a time like 2006-01-02T15:04:05Z`);
  }
  return text;
}

/**
 * Reads the query of a request for a log.
 *
 * @throws StatusError (400) for values of the wrong type
 */
function logOptions(query: URLSearchParams): PodLogOptions {
  const numbers = ['sinceSeconds', 'tailLines', 'limitBytes'] as const;
  const sinceTime = moment(query, 'sinceTime');
  const options: PodLogOptions = {
    container: query.get('container') ?? '',
    follow: queryFlag(query, 'follow'),
    previous: queryFlag(query, 'previous'),
    timestamps: queryFlag(query, 'timestamps'),
    insecureSkipTLSVerifyBackend: queryFlag(query, 'insecureSkipTLSVerifyBackend'),
    ...(sinceTime === undefined ? {} : { sinceTime }),
  };
  for (const name of numbers) {
    const value = int64(query, name);
    if (value !== undefined) options[name] = value;
  }
  return options;
}

/** Errors in the options of a log request. */
function validateLogOptions(options: PodLogOptions): FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalidValue('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(invalidValue('limitBytes', limitBytes, 'must be greater than 0'));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  return errors;
}

function agentQuery(options: PodLogOptions): string {
  const query = new URLSearchParams();
  for (const name of ['follow', 'previous', 'timestamps'] as const) if (options[name] === true) query.set(name, 'true');
  for (const name of ['sinceSeconds', 'sinceTime', 'tailLines', 'limitBytes'] as const) {
    const value = options[name];
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/**
 * The client's error if the agent does not return the log. It has the agent's text, and its status unless that is a
 * 5xx.
 */
async function complaint(answer: IncomingMessage): Promise<StatusError> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > COMPLAINT_LIMIT) break;
  }
  answer.destroy();
  const text = Buffer.concat(chunks).subarray(0, COMPLAINT_LIMIT).toString().trim();
  const code = answer.statusCode ?? 502;
  if (code === 400) return badRequest(text);
  if (code === 404) return new StatusError(404, 'NotFound', text === '' ? 'the node has no such log' : text);
  return badGateway(`the node answers ${code}${text === '' ? '' : `: ${text}`}`);
}

/**
 * Sends a log over a web socket, piece by piece. The first message is empty, so that clients know that the log has
 * begun. The agent waits while the client does not read.
 */
function sendMessages(answer: IncomingMessage, output: WebSocketOutput): void {
  output.setHeader('Content-Type', 'text/plain');
  output.on('drain', () => answer.resume()).on('close', () => answer.destroy());
  output.writeHead();
  output.writeBytes(Buffer.alloc(0));
  answer.on('data', (bytes: Buffer) => {
    if (!output.writeBytes(bytes)) answer.pause();
  });
  answer.once('end', () => output.end()).on('error', () => output.destroy());
}

/**
 * Answers GET of a pod's log with the data of the agent on its node, as it arrives. The answer is 204 while the pod has
 * no node.
 */
export function podLogHandler({ registry, agents }: Connections, metrics: MetricSet): ResourceHandler {
  const asked = metrics.counter('orch_apiserver_pod_logs_pods_logs_insecure_backend_total');
  const unverified = metrics.counter('orch_apiserver_pod_logs_pods_logs_backend_tls_failure_total');
  const { protobufMediaType } = registry.naming;
  return async (_served, context) => {
    const { namespace, name } = context.info;
    // The log is text, but clients of the API send the same Accept header as for other requests.
    const accept = context.header('accept');
    checkAccepted(accept, ['text/plain', 'application/json', 'application/yaml', protobufMediaType]);
    if (!parseAccept(accept ?? '').some(({ type }) => type === 'text')) {
      negotiate(accept, context.query, undefined, registry.naming, {
        transforms: true,
        tables: false,
        watchable: false,
      });
    }
    const options = logOptions(context.query);
    asked.inc({ usage: options.insecureSkipTLSVerifyBackend === true ? 'skip_tls_allowed' : 'enforce_tls' });
    const errors = validateLogOptions(options);
    if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
    const pod = await storedOne<Pod>(registry, 'pods', namespace, name);
    const container = chosenContainer(pod, options.container ?? '');
    const node = pod.spec?.nodeName ?? '';
    if (node === '') return { kind: 'empty', status: 204 };
    const { request, response } = context.raw();
    const upgrade = upgradeOf(request);
    const accepted = (): void => {
      response.statusCode = 101;
    };
    const output = upgrade && new WebSocketOutput(upgrade, request.headers, accepted);
    const found = await agents.find(node);
    const backend =
      options.insecureSkipTLSVerifyBackend === true
        ? { ...found, trust: { ...found.trust, ca: undefined, insecure: true } }
        : found;
    const path = `/containerLogs/${[namespace, name, container].map(encodeURIComponent).join('/')}${agentQuery(options)}`;
    const deadlineAt = options.follow === true ? undefined : context.deadlineAt;
    const answer = await askForStream(context, backend, path, deadlineAt).catch((error: unknown): never => {
      if (error instanceof UnverifiedBackend) unverified.inc({});
      throw error;
    });
    if (answer.statusCode === undefined || answer.statusCode < 200 || answer.statusCode > 206) {
      throw await complaint(answer);
    }
    if (output !== undefined) {
      sendMessages(answer, output);
      return { kind: 'hijacked', status: 101 };
    }
    response.setHeader('Content-Type', 'text/plain');
    response.writeHead(200);
    if (context.info.method === 'HEAD') {
      answer.destroy();
      response.end();
    } else {
      response.flushHeaders();
      // Errors from here on close the connection, because the status is already sent.
      pipeline(answer, bodyOf(response), () => answer.destroy());
    }
    return { kind: 'hijacked', status: 200 };
  };
}
