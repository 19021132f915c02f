import { type Conversations, header, is, lacks, type Turn } from '../conversation.ts';
import { DEPLOYMENTS, JSON_PATCH, MAPS, MERGE, map, NS, POD } from './request-parts.ts';

export const VALIDATION: Conversations = {
  'a wrong type is an error at every level': ['Ignore', 'Warn', 'Strict'].flatMap((level): Turn[] => [
    [`POST ${MAPS}?fieldValidation=${level}`, 400, 'data', { body: { metadata: { name: 'x' }, data: ['a'] } }],
    [
      `POST ${NS}/pods?fieldValidation=${level}`,
      400,
      'priority',
      { body: { metadata: { name: 'x' }, spec: { priority: 'high' } } },
    ],
  ]),
  'a missing required field is an error at every level': ['Ignore', 'Warn', 'Strict'].map(
    (level): Turn => [
      `POST ${DEPLOYMENTS}?fieldValidation=${level}`,
      422,
      'spec.selector: Required value',
      { body: { metadata: { name: 'x' }, spec: { template: { metadata: {}, ...POD } } } },
    ],
  ),
  'unknown fields are dropped, of the default level too': [
    [`POST ${MAPS}`, 201, lacks('"odd"'), map('dropped', { odd: 1, data: { a: '1' } })],
    [`GET ${MAPS}/dropped`, 200, [lacks('"odd"'), is('data.a', '1')]],
  ],
  'the last of duplicate fields is used': [
    [`POST ${MAPS}`, 201, is('data.a', '2'), { raw: '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}' }],
  ],
  'Ignore drops unknown fields without a warning': [
    [
      `POST ${MAPS}?fieldValidation=Ignore`,
      201,
      [lacks('"odd"'), header('warning', undefined)],
      map('silent', { odd: 1 }),
    ],
  ],
  'Warn accepts the request, with a warning for each field': [
    [
      `POST ${MAPS}?fieldValidation=Warn`,
      201,
      [header('warning', /299 - "unknown field \\"odd\\"", 299 - "unknown field \\"queer\\""/)],
      map('warned', { odd: 1, queer: 2 }),
    ],
    [
      `POST ${MAPS}`,
      201,
      header('warning', /299 - "duplicate field \\"data\.a\\""/),
      { raw: '{"metadata":{"name":"doubled"},"data":{"a":"1","a":"2"}}' },
    ],
  ],
  'Warn is the default level': [
    [`PUT ${MAPS}/warned`, 200, header('warning', /unknown field \\"odd\\"/), map('warned', { odd: 1 })],
    [`PATCH ${MAPS}/warned`, 200, header('warning', /unknown field \\"odd\\"/), { headers: MERGE, body: { odd: 1 } }],
  ],
  'Strict refuses the request and names all unknown fields': [
    [
      `POST ${MAPS}?fieldValidation=Strict`,
      400,
      ['unknown field \\"odd\\"', 'unknown field \\"queer\\"', 'duplicate field \\"kind\\"'],
      { raw: '{"kind":"ConfigMap","kind":"ConfigMap","metadata":{"name":"x"},"odd":1,"queer":2}' },
    ],
    [`PUT ${MAPS}/warned?fieldValidation=Strict`, 400, 'odd', map('warned', { odd: 1 })],
    [`PATCH ${MAPS}/warned?fieldValidation=Strict`, 400, 'odd', { headers: MERGE, body: { odd: 1 } }],
    [
      `PATCH ${MAPS}/warned?fieldValidation=Strict`,
      400,
      'odd',
      { headers: JSON_PATCH, body: [{ op: 'add', path: '/odd', value: 1 }] },
    ],
  ],
  'unknown fields together with another error are 400 at every level': ['Ignore', 'Warn', 'Strict'].map(
    (level): Turn => [
      `POST ${MAPS}?fieldValidation=${level}`,
      400,
      [],
      { body: { metadata: { name: 'x' }, odd: 1, data: ['a'] } },
    ],
  ),
  'the server validates fields by default': [
    [`POST ${MAPS}`, 201, header('warning', /unknown field/), map('unasked', { odd: 1 })],
  ],
};
