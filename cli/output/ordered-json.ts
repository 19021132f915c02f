import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { Session } from '../connection/session.ts';
import { toJson, toJsonAsGiven } from '../manifests/json.ts';
import { inFieldOrder } from './field-order.ts';
import { withoutManaged } from './printer.ts';

/**
 * Objects as JSON, with fields in the order of their types. Fields of types that users define are in alphabetical
 * order.
 */
export async function jsonInFieldOrder(
  session: Session,
  managed: boolean,
): Promise<(object: ApiObject, type?: DiscoveredType) => string> {
  const naming = await session.naming();
  const schema = loadSchema(naming);
  return (object) => {
    const { apiVersion = '', kind = '' } = object;
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const short = group === '' ? '' : naming.shortGroup(group!);
    const message = short === undefined ? undefined : schema.kind(short, version!, kind);
    const shown = managed ? object : withoutManaged(object);
    if (message === undefined) return toJson(shown);
    return toJsonAsGiven(inFieldOrder(asJson(shown), message));
  };
}
