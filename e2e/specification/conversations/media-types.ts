import { type Conversations, header, is } from '../conversation.ts';
import { APPLY, JSON_PATCH, JSON_TYPE, MAPS, MERGE, map, NS } from './request-parts.ts';

const TABLE = { Accept: 'application/json;as=Table;g=meta.orch.io;v=v1' };
const PROTOBUF = { Accept: 'application/vnd.orch.protobuf' };

export const FORMS: Conversations = {
  'the response is JSON by default': [
    [`GET ${MAPS}`, 200, header('content-type', 'application/json')],
    [`GET ${MAPS}`, 200, header('content-type', 'application/json'), { headers: { Accept: '*/*' } }],
    [`GET ${MAPS}`, 200, header('content-type', 'application/json'), { headers: JSON_TYPE }],
  ],
  'the response is Protobuf if the client accepts it': [
    [`GET ${MAPS}`, 200, header('content-type', 'application/vnd.orch.protobuf'), { headers: PROTOBUF }],
  ],
  'the response is a Table if the client accepts it': [[`GET ${MAPS}`, 200, is('kind', 'Table'), { headers: TABLE }]],
  'the media types of Accept are tried in their order': [
    [`GET ${MAPS}`, 200, is('kind', 'Table'), { headers: { Accept: `${TABLE.Accept},application/json` } }],
    [`GET ${MAPS}`, 200, is('kind', 'ConfigMapList'), { headers: { Accept: 'application/pdf, application/json' } }],
  ],
  'bodies are JSON or Protobuf': [
    [`POST ${MAPS}`, 201, [], map('as-json')],
    [
      `POST ${MAPS}`,
      400,
      'does not appear to be a protobuf message',
      { raw: 'no envelope', headers: { 'Content-Type': PROTOBUF.Accept } },
    ],
    [`POST ${MAPS}`, 415, [], { raw: 'x', headers: { 'Content-Type': 'text/plain' } }],
  ],
  'apply takes JSON and YAML bodies under one type': [
    [
      `PATCH ${MAPS}/both?fieldManager=m`,
      201,
      is('data.a', '1'),
      { headers: APPLY, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'both' }, data: { a: '1' } } },
    ],
    [
      `PATCH ${MAPS}/both?fieldManager=m`,
      200,
      is('data.a', '2'),
      { headers: APPLY, raw: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: both\ndata:\n  a: "2"\n' },
    ],
  ],
  'a merge patch has a type of its own': [
    [`PATCH ${MAPS}/both`, 200, is('data', { b: '3' }), { headers: MERGE, body: { data: { a: null, b: '3' } } }],
  ],
  'a JSON patch has a type of its own': [
    [
      `PATCH ${MAPS}/both`,
      200,
      is('data.b', '4'),
      { headers: JSON_PATCH, body: [{ op: 'replace', path: '/data/b', value: '4' }] },
    ],
  ],
  'the response is plain JSON if the type has no Table': [
    [`POST ${NS}/serviceaccounts`, 201, [], map('tabled')],
    [`POST ${NS}/serviceaccounts/tabled/token`, 406, [], { body: { spec: {} }, headers: TABLE }],
    [
      `POST ${NS}/serviceaccounts/tabled/token`,
      201,
      is('kind', 'TokenRequest'),
      { body: { spec: {} }, headers: { Accept: `${TABLE.Accept},application/json` } },
    ],
  ],
  'the response is 406 if no media type fits': [
    [`GET ${MAPS}`, 406, 'NotAcceptable', { headers: { Accept: 'application/pdf' } }],
  ],
};
