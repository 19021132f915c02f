import type { FieldSelectorAttributes, LabelSelectorAttributes } from '#schema/generated/authorization.v1.ts';
import { parseFieldSelector } from './field-selector.ts';
import type { RequestContext } from './request-context.ts';
import type { UserInfo } from './user-info.ts';

/**
 * The attributes that authorizers read. Groups are in the form of paths. For other paths, the attributes of resources
 * are '' and `path` is set.
 */
export interface Attributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResource: boolean;
  /** The path of a request that is not about a resource. */
  readonly path: string;
  /** The namespace; '' for cluster-wide resources and for all namespaces. */
  readonly namespace: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** The name; '' for all objects. */
  readonly name: string;
  /** The unchanged selectors of a request for many objects. Absent if there are none. Some authorizers ignore them. */
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly labelSelector?: LabelSelectorAttributes;
}

/** The user of a request that was not authenticated. */
const NO_USER: UserInfo = { name: '', uid: '', groups: [], extra: {} };

/** Each kind decides which labels it accepts. */
const ANY_LABEL = {
  accepted: new (class extends Set<string> {
    override has(): boolean {
      return true;
    }
  })(),
  unknown: (label: string) => label,
};

/** The name to which the field selector limits a list or watch. '' if it does not, or if the selector is malformed. */
function selectedName({ info, query }: RequestContext): string {
  const selector = query.get('fieldSelector');
  if (selector === null || (info.verb !== 'list' && info.verb !== 'watch')) return '';
  try {
    const name = parseFieldSelector(selector, ANY_LABEL).name ?? '';
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
  } catch {
    return '';
  }
}

/**
 * The attributes of a request. If the field selector limits a list or watch to one name, the attributes have this name.
 */
export function attributesOf(context: RequestContext): Attributes {
  const { info } = context;
  return {
    user: context.user ?? NO_USER,
    verb: info.verb,
    isResource: info.isResource,
    path: info.path,
    namespace: info.namespace,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    name: info.name === '' ? selectedName(context) : info.name,
    ...(SELECTING.has(info.verb) && sentSelectors(context.query)),
  };
}

const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

function sentSelectors(query: URLSearchParams): Pick<Attributes, 'fieldSelector' | 'labelSelector'> {
  const fields = query.get('fieldSelector') ?? '';
  const labels = query.get('labelSelector') ?? '';
  return {
    ...(fields !== '' && { fieldSelector: { rawSelector: fields } }),
    ...(labels !== '' && { labelSelector: { rawSelector: labels } }),
  };
}

/** The attributes of a question about a resource or a path, without a request. Missing attributes are ''. */
export function resourceAttributes(user: UserInfo | undefined, about: Partial<Omit<Attributes, 'user'>>): Attributes {
  const none = { verb: '', path: '', namespace: '', group: '', version: '', resource: '', subresource: '', name: '' };
  return { ...none, ...about, isResource: (about.path ?? '') === '', user: user ?? NO_USER };
}
