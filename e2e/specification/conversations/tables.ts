import assert from 'node:assert/strict';
import { type Conversations, is } from '../conversation.ts';
import { MAPS, RBAC } from './resource-parts.ts';

const TABLE = { Accept: 'application/json;as=Table;g=meta.orch.io;v=v1' };

export const TABLES: Conversations = {
  'a table has the kind Table and the version meta.orch.io/v1': [
    [`GET ${MAPS}`, 200, [is('kind', 'Table'), is('apiVersion', 'meta.orch.io/v1')], { headers: TABLE }],
  ],
  'the columns of a table have names and types': [
    [
      `GET ${MAPS}`,
      200,
      ({ json }) => {
        assert.ok(json.columnDefinitions.length > 0);
        for (const { name, type } of json.columnDefinitions) {
          assert.match(name, /./);
          assert.match(type, /^(string|integer|number|boolean|date)$/);
        }
      },
      { headers: TABLE },
    ],
  ],
  'a type without printer columns has Name and Created At': [
    [
      `GET ${RBAC}/clusterroles?limit=1`,
      200,
      ({ json }) =>
        assert.deepEqual(
          json.columnDefinitions.map(({ name, type }: { name: string; type: string }) => [name, type]),
          [
            ['Name', 'string'],
            ['Created At', 'date'],
          ],
        ),
      { headers: TABLE },
    ],
  ],
};
