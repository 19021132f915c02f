import type { Comparison } from './comparison.ts';

const made = [
  'deployment x --image=y --port=80 --replicas=2',
  'cm x --from-literal=b=1 --from-literal=a=2',
  'ns x',
  'secret generic x --from-literal=a=b',
  'secret docker-registry x --docker-server=a --docker-username=b --docker-password=c',
  'job x --image=y',
  'cronjob x --image=y --schedule="* * * * *"',
  'role x --verb=get --resource=pods',
  'rolebinding x --role=a --user=b',
  'clusterrole x --verb=get --resource=pods',
  'clusterrolebinding x --clusterrole=a --group=b',
  'sa x',
  'service clusterip x --tcp=80:8080',
  'service nodeport x --tcp=80',
  'service externalname x --external-name=a.b',
  'ingress x --rule=a.b/c*=s:80,tls=z --class=q',
  'quota x --hard=cpu=1,pods=2 --scopes=BestEffort',
  'pdb x --min-available=1 --selector=a=b',
  'priorityclass x --value=3 --description=d',
];

/** Lines about the JSON of objects that a client has made itself. Fields are in the order of their types. */
export const typedLines: readonly Comparison[] = [
  ...made.map((one) => `create ${one} --dry-run=client -o json`),
  'create deployment x --image=y --dry-run=server -o json',
  'create service clusterip x --clusterip=None --tcp=80 --dry-run=server -o json',
  'set image deploy/web web=z --dry-run=client -o json -n one',
  'set env deploy/web A=b --dry-run=server -o json -n one',
].map((line) => ({ line }));
