import { CommandError } from '../../framework/errors.ts';
import type { Generator } from './generator.ts';

interface Rule {
  readonly host: string;
  readonly path: object;
  /** Undefined means no TLS. '' means TLS with the default certificate. */
  readonly secret: string | undefined;
}

const RULE = /^[\w*.-]*\/.*=[\w-]+:[\w-]+/;

/** Parses `host/path=service:port[,tls[=secret]]`. @throws CommandError if the text is malformed */
function parseRule(text: string): Rule {
  const mistake = new CommandError(
    `rule ${text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`,
  );
  if (!RULE.test(text)) throw mistake;
  const [own = '', ...tls] = text.split(',');
  const slash = own.indexOf('/');
  const [path = '', backend = ''] = own.slice(slash).split('=');
  const [service, port] = backend.split(':');
  if (slash < 0 || service === undefined || port === undefined) throw mistake;
  const isPrefix = path.endsWith('*');
  return {
    host: own.slice(0, slash),
    path: {
      backend: { service: { name: service, port: portOf(port) } },
      path: isPrefix ? path.slice(0, -1) : path,
      pathType: isPrefix ? 'Prefix' : 'Exact',
    },
    // The part after the comma contains the secret. At most one comma is allowed.
    secret: tls.length === 1 ? (tls[0]!.split('=')[1] ?? '') : undefined,
  };
}

function portOf(text: string): object {
  return /^[+-]?\d+$/.test(text) ? { number: Number(text) } : text === '' ? {} : { name: text };
}

function defaultBackend(text: string): object {
  const [service, port, ...more] = text.split(':');
  if (port === undefined || more.length > 0)
    throw new CommandError('default-backend should be in format servicename:serviceport');
  return { service: { name: service, port: portOf(port) } };
}

function grouped(rules: readonly Rule[], by: (rule: Rule) => string): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>();
  for (const rule of rules) groups.set(by(rule), [...(groups.get(by(rule)) ?? []), rule]);
  return groups;
}

export const ingress: Generator = {
  ...{ name: 'ingress', aliases: ['ing'], short: 'Create an ingress with the specified name' },
  usage: '--rule=host/path=service:port[,tls[=secret]] ',
  examples: '# A host, with TLS\n{} create ingress web --rule="example.com/*=web:80,tls=web-cert"',
  flags: [
    { name: 'annotation', type: 'texts', help: 'Annotation of the ingress: key=value' },
    { name: 'class', type: 'string', help: 'Class of the ingress' },
    { name: 'default-backend', type: 'string', help: 'Service for requests that no rule matches: service:port' },
    {
      name: 'rule',
      type: 'texts',
      help: 'Rule: host/path=service:port[,tls[=secret]]; a path that ends with * is a prefix',
    },
  ],
  ...{ apiVersion: 'networking/v1', kind: 'Ingress', namespaced: true },
  failure: 'failed to create ingress:',
  describe: (_, { flags }) => {
    const [texts, fallback] = [flags.list('rule'), flags.text('default-backend')];
    if (texts.length === 0 && fallback === '')
      throw new CommandError(
        'not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)',
      );
    const rules = texts.map(parseRule);
    const annotations = Object.fromEntries(
      flags.list('annotation').map((text) => {
        const [key = '', ...value] = text.split('=');
        if (value.length === 0)
          throw new CommandError(`annotation ${text} is invalid and should be in format key=[value]`);
        return [key, value.join('=')];
      }),
    );
    const byHost = grouped(rules, ({ host }) => host);
    const bySecret = grouped(
      rules.filter(({ secret }) => secret !== undefined),
      ({ secret }) => secret!,
    );
    const tls = [...bySecret].map(([secretName, of]) => {
      const hosts = [...new Set(of.map(({ host }) => host).filter((host) => host !== ''))];
      return { ...(hosts.length === 0 ? {} : { hosts }), ...(secretName === '' ? {} : { secretName }) };
    });
    return {
      ...(Object.keys(annotations).length === 0 ? {} : { metadata: { annotations } }),
      spec: {
        ...(fallback === '' ? {} : { defaultBackend: defaultBackend(fallback) }),
        ...(flags.text('class') === '' ? {} : { ingressClassName: flags.text('class') }),
        ...(rules.length === 0
          ? {}
          : {
              rules: [...byHost].map(([host, of]) => ({
                ...(host === '' ? {} : { host }),
                http: { paths: of.map(({ path }) => path) },
              })),
            }),
        ...(tls.length === 0 ? {} : { tls }),
      },
      status: { loadBalancer: {} },
    };
  },
};
