import { aroundAll, type TestReplica } from './testing/replica.ts';
const MAPS = '/api/v1/namespaces/default/configmaps';
describe('bodies', function () {
  this.timeout(300000);
  let server: TestReplica;
  aroundAll((s) => { server = s; });
  it('x', async () => {
    await server.call('POST', MAPS, { body: { metadata: { name: 'm0' }, data: { a: '1' } } });
    const pieces: readonly [before: string, piece: string, after: string][] = [
      ['a: [', 'a,', 'a]'],
      ['[[[', 'a,', ''],
      ['', '? a\n', ''],
      ['a: &a 1\nb: [', '*a,', '*a]'],
      ['', '%a\n', '---\na: 1'],
      ['{', '"a":1,', '"a":1}'],
      ['{"a":[', '{},', '{}]}'],
      ['{"a":[', '1.0,', '1]}'],
      ['{"data":{"a":[', '{},', '{}]}}'],
      ['[', '{"op":"add","path":"/data/a","value":"1"},', '{"op":"add","path":"/data/a","value":"1"}]'],
      ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m0","finalizers":[', '"a",', '"a"]}}'],
      ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m0","ownerReferences":[', '{},', '{}]}}'],
    ];
    const bodies = pieces.map(([before, piece, after]) => before + piece.repeat(3_000_000 / piece.length) + after);
    const keys = (prefix: string, suffix: string, v = '1') => prefix + Array.from({ length: 200_000 }, (_, i) => `"k${i}":${v}`).join() + suffix;
    bodies.push(keys('{', '}'), keys('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m0"},"data":{', '}}', '"1"'),
     keys('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m0","labels":{', '}}}', '"1"'),
     keys('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m0","annotations":{', '}}}', '"1"'),
     '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m0","labels":{' + '"b":"1",'.repeat(300000) + '"a":"1"}}}');
    for (const type of ['yaml', 'json', 'apply-patch+yaml', 'merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json']) {
      const [method, path] = type.includes('patch') ? ['PATCH', `${MAPS}/m0?fieldManager=x&force=true`] : ['POST', MAPS];
      for (const body of bodies) for (const v of ['', 'Strict']) {
        const t = performance.now(); let worst = 0, last = t; const i = setInterval(() => { const n = performance.now(); worst = Math.max(worst, n - last); last = n; }, 1);
        const r = await server.call(method!, path! + (v ? (path!.includes('?') ? '&' : '?') + 'fieldValidation=' + v : ''), { raw: body, headers: { 'Content-Type': 'application/' + type } });
        clearInterval(i); worst = Math.max(worst, performance.now() - last);
        if (worst > 500) console.log(type, v, body.slice(0, 90).replaceAll('\n', '|'), body.length, r.status, r.text.slice(0, 60), r.text.length, Math.round(performance.now() - t), 'ms, loop', Math.round(worst));
      }
    }
  });
});
