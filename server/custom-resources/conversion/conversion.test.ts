import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { whole } from '#program/metrics/testing/whole.ts';
import { writeText } from '#program/metrics/write-text.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { conversionQuestion, objectsOfAnswer } from './conversion-review.ts';
import { ConversionDefect, convertedObjects } from './converted-objects.ts';
import { convertAsDefined } from './webhook-converter.ts';

const naming = createNaming('orch');
const V1 = 'example.com/v1';
const V2 = 'example.com/v2';

function widget(apiVersion: string, more: object = {}, meta: object = {}): ApiObject {
  const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7', labels: { x: 'y' }, ...meta };
  return { kind: 'Widget', apiVersion, metadata, ...more } as ApiObject;
}

const convert = (...answers: object[]) =>
  convertedObjects(Array(answers.length || 1).fill(widget(V1)), answers as unknown as JsonValue[], V2);

describe('objects that a conversion webhook returns', () => {
  it('keep their metadata, except labels and annotations', () => {
    const answer = widget(
      V2,
      { spec: { b: 1 } },
      { resourceVersion: '9', labels: { z: '1' }, annotations: { q: 'r' } },
    );
    const [object] = convert(answer);
    assert.deepEqual(object, widget(V2, { spec: { b: 1 } }, { labels: { z: '1' }, annotations: { q: 'r' } }));
    const [bare] = convert(widget(V2, {}, { labels: undefined }));
    assert.equal(bare!.metadata.labels, undefined);
  });

  const defects: [what: string, answer: object, why: RegExp][] = [
    [
      'in another version',
      widget(V1),
      /^returned invalid object at index 0: invalid groupVersion \(expected .*v2, received .*v1\)$/,
    ],
    [
      'of another kind',
      { ...widget(V2), kind: 'Gadget' },
      /^returned invalid object at index 0: invalid kind \(expected Widget, received Gadget\)$/,
    ],
    ['with another name', widget(V2, {}, { name: 'other' }), /must have the same name: a != other$/],
    ['in another namespace', widget(V2, {}, { namespace: 'm' }), /must have the same namespace: n != m$/],
    ['with another uid', widget(V2, {}, { uid: 'v' }), /must have the same UID: u != v$/],
    ['without metadata', { kind: 'Widget', apiVersion: V2 }, /must have the same name: a != $/],
    ['with null for metadata', { ...widget(V2), metadata: null }, /must have the same name: a != $/],
    [
      'with labels that are not an object',
      widget(V2, {}, { labels: { 'x y': '1' } }),
      /^returned invalid metadata: metadata\.labels/,
    ],
    ['with labels that are not strings', widget(V2, {}, { labels: { x: 1 } }), /must be a string/],
    ['with a list for annotations', widget(V2, {}, { annotations: [] }), /invalid metadata\.annotations/],
  ];
  for (const [what, answer, why] of defects) {
    it(`are refused ${what}`, () => {
      assert.throws(
        () => convert(answer),
        (error) => error instanceof ConversionDefect && why.test(error.message),
      );
    });
  }

  it('must be as many as were sent', () => {
    assert.throws(() => convertedObjects([widget(V1)], [], V2), /^Error: returned 0 objects, expected 1$/);
  });
});

describe('conversion by a webhook', () => {
  const clientConfig = { url: 'https://127.0.0.1:1/convert' };
  const definition = {
    metadata: { name: 'widgets.example.com' },
    spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } },
  };
  const convertBy = async (status: number): Promise<string> => {
    const metrics = new MetricSet();
    const durations = metrics.histogram('apiserver_crd_webhook_conversion_duration_seconds');
    const poster = {
      async post({ body: asked }: { body: string }) {
        const { request } = JSON.parse(asked) as { request: { uid: string; objects: ApiObject[] } };
        const convertedObjects = request.objects.map((object) => ({ ...object, apiVersion: V2 }));
        const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects };
        const review = { apiVersion: naming.apiVersion('apiextensions', 'v1'), kind: 'ConversionReview', response };
        return { status, body: Buffer.from(JSON.stringify(review)) };
      },
    };
    const context = { naming, poster, services: {}, leaving: new AbortController().signal, durations };
    await convertAsDefined(definition as never, [widget(V1)], V2, context as never).catch(() => {});
    const [count = ''] = /^.*_count.*$/m.exec(String(await whole(writeText(metrics.values())))) ?? [];
    return count.slice(count.indexOf('{'));
  };

  for (const [status, succeeded] of [
    [200, true],
    [500, false],
  ] as const)
    it(`measures its duration if the webhook answers ${status}`, async () => {
      const labels = `crd_name="widgets.example.com",from_version="v1",succeeded="${succeeded}",to_version="v2"`;
      assert.equal(await convertBy(status), `{${labels}} 1`);
    });
});

describe('conversion by a webhook with a placeholder for its bundle', () => {
  it('fails with the reason, and calls no one', async () => {
    const clientConfig = { url: 'https://127.0.0.1:1/', caBundle: 'Cg==' };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    const context = { naming, poster: {}, services: {}, leaving: new AbortController().signal };
    const converting = convertAsDefined(
      { metadata: {}, spec: { conversion } } as never,
      [widget(V1)],
      V2,
      context as never,
    );
    await assert.rejects(converting, /failed: unable to load root certificates: unable to parse bytes as PEM block$/);
  });
});

describe('conversion after the definition changed', () => {
  it('uses the current definition', async () => {
    const asked = [widget(V1, { spec: { a: 1 } }), widget(V2)];
    for (const conversion of [undefined, { strategy: 'None' }, { strategy: 'None', webhook: {} }]) {
      const converted = await convertAsDefined({ metadata: {}, spec: { conversion } } as never, asked, V2, {} as never);
      assert.deepEqual(converted, [widget(V2, { spec: { a: 1 } }), widget(V2)]);
    }
    assert.equal(asked[0]!.apiVersion, V1, 'what it was given stays as it was');
  });
});

describe('the answer of a conversion webhook', () => {
  const answer = (version: string, response: (uid: string) => object, review: object = {}) => {
    const question = conversionQuestion(naming, [version], [widget(V1)], V2);
    const asked = JSON.parse(question.body) as JsonObject;
    const body = { kind: asked['kind'], apiVersion: asked['apiVersion'], response: response(question.uid), ...review };
    return objectsOfAnswer(naming, question, Buffer.from(JSON.stringify(body)));
  };
  const good = (uid: string) => ({ uid, result: { status: 'Success' }, convertedObjects: [{ a: 1 }] });

  it('must match the UID, kind and version of the request', () => {
    assert.deepEqual(answer('v1', good), [{ a: 1 }]);
    assert.throws(() => answer('v1', () => good('other')), /expected response.uid=".*", got "other"/);
    assert.throws(() => answer('v1', good, { kind: 'Other' }), /expected webhook response of .* got .*Kind=Other/);
    const other = () => good('other');
    assert.deepEqual(answer('v1beta1', other), [{ a: 1 }], 'the older one was lax');
    assert.deepEqual(answer('v1beta1', other, { kind: '', apiVersion: null }), [{ a: 1 }]);
    for (const review of [{ kind: 'Other' }, { apiVersion: 'other/v1' }, { apiVersion: 'apiextensions.orch.io/v1' }]) {
      assert.throws(() => answer('v1beta1', other, review), /expected webhook response of .*v1beta1, Kind=Conversion/);
    }
  });

  it('must report success', () => {
    assert.throws(() => answer('v1', (uid) => ({ uid, result: { status: 'Failure', message: 'no' } })), /^Error: no$/);
    assert.throws(() => answer('v1', (uid) => ({ uid })), /response\.result\.status was '', not 'Success'/);
    assert.throws(() => answer('v1', good, { response: null }), /no response provided/);
  });

  it('has the first known review version of the definition', () => {
    const { body } = conversionQuestion(naming, ['v9', 'v1beta1', 'v1'], [widget(V1)], V2);
    const { apiVersion, request } = JSON.parse(body);
    assert.deepEqual(
      [apiVersion, request.desiredAPIVersion, request.objects.length],
      ['apiextensions.orch.io/v1beta1', V2, 1],
    );
  });

  it('restores the original objects if the webhook changes only the version', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.string()), (spec, data) => {
        const sent = widget(V1, { spec, data });
        const there = convertedObjects([sent], [{ ...sent, apiVersion: V2 } as unknown as JsonValue], V2);
        const back = convertedObjects(there, [{ ...there[0]!, apiVersion: V1 } as unknown as JsonValue], V1);
        assert.deepEqual(back, [sent]);
      }),
      { numRuns: 100 },
    );
  });
});
