import type { Ingress, IngressClass } from '#schema/generated/networking.v1.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { refusal } from '../refusal.ts';

/** Sets the default class of new ingresses that name no class. */
export function defaultIngressClass({ naming, cluster }: PluginEnvironment): AdmissionPlugin {
  const mark = naming.key('ingressclass/is-default-class');
  const oldField = naming.key('ingress.class');
  return {
    name: 'DefaultIngressClass',
    handles: handling('networking', 'ingresses', ['CREATE']),
    mutate(request) {
      const ingress = request.object as Ingress;
      if (ingress.spec?.ingressClassName !== undefined || ingress.metadata.annotations?.[oldField] !== undefined)
        return;
      const defaults = cluster
        .list<IngressClass>('networking', 'ingressclasses')
        .filter(({ metadata }) => metadata.annotations?.[mark] === 'true');
      if (defaults.length > 1) {
        throw refusal(request, `Internal error occurred: ${defaults.length} default IngressClasses were found`);
      }
      const name = defaults[0]?.metadata.name;
      if (name !== undefined) ingress.spec = { ...ingress.spec!, ingressClassName: name };
    },
  };
}
