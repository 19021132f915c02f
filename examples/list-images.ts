// Shows which container images run in which pods, and follows the changes until Ctrl-C.
//
//   node list-images.ts CONNECTION-FILE
import { connect, type IndexBy, readConnection, SharedInformers } from '@orch/client';
import { type CoreV1, coreV1 } from '@orch/client/kinds';

/** The images of a pod. An informer has an index by them, so a search for an image does not read all pods. */
const byImage: IndexBy<CoreV1.Pod> = (pod) => (pod.spec?.containers ?? []).map(({ image }) => image ?? 'none');

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop.abort());

const client = await connect(readConnection(process.argv[2]!));
const informers = new SharedInformers(client, { onError: (what, error) => console.error(what, error) });
// The copy keeps only these fields, so that it stays small even if pods are large.
const pods = informers.of(coreV1.pods, { fields: ['spec.containers.image', 'spec.nodeName'] });
informers.start(stop.signal);
await informers.ready();

const shown = new Map<string, string>();
function show(image: string): void {
  const nodes = new Set(pods.find(byImage, image).map((pod) => pod.spec?.nodeName ?? 'no node'));
  const text = [...nodes].sort().join(', ') || 'gone';
  if (shown.get(image) === text) return;
  shown.set(image, text);
  console.log(`${image}: ${text}`);
}

// A new handler gets every existing object, and then each change.
const showAll = (pod: CoreV1.Pod) => byImage(pod).forEach(show);
const updated = (pod: CoreV1.Pod, before: CoreV1.Pod) => [before, pod].forEach(showAll);
pods.on({ added: showAll, updated, deleted: showAll }, stop.signal);

if (!stop.signal.aborted)
  await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
await client.close();
