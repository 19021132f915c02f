import assert from 'node:assert/strict';
import { getServers } from 'node:dns';
import { ConnectionError, DeadlineError } from '#client/errors.ts';
import { connectionWords } from './connection-words.ts';
import { plainAnswer } from './plain-answer.ts';

const unverified = 'tls: failed to verify certificate: x509:';

/** The error of the platform, and the text for the user. */
const words: readonly (readonly [cause: object, said: string | RegExp])[] = [
  [{ code: 'ENOTFOUND', hostname: 'a.invalid' }, /^dial tcp: lookup a\.invalid( on \S+)?: no such host$/],
  [{ code: 'EAI_AGAIN', hostname: 'a' }, 'dial tcp: lookup a: Temporary failure in name resolution'],
  [{ code: 'EHOSTUNREACH', address: '10.0.0.1', port: 6443 }, 'dial tcp 10.0.0.1:6443: connect: no route to host'],
  [{ code: 'ENETUNREACH', address: '::1', port: 443 }, 'dial tcp [::1]:443: connect: network is unreachable'],
  [{ code: 'ETIMEDOUT', address: '10.0.0.1', port: 443 }, 'dial tcp 10.0.0.1:443: i/o timeout'],
  [{ code: 'ETIMEDOUT' }, 'dial tcp: i/o timeout'],
  [{ code: 'ECONNRESET', message: 'read ECONNRESET' }, 'read: connection reset by peer'],
  [{ code: 'ECONNRESET', message: 'Client network socket disconnected before …' }, 'EOF'],
  [{ code: 'ECONNRESET', message: 'socket hang up' }, 'EOF'],
  [{ code: 'ECONNRESET', message: 'aborted' }, 'EOF'],
  [{ code: 'HPE_INVALID_CONSTANT', rawPacket: Buffer.from('HELLO\r\nyou') }, 'malformed HTTP response "HELLO"'],
  [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'http: server gave HTTP response to HTTPS client'],
  [{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, `${unverified} certificate signed by unknown authority`],
  [{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, `${unverified} certificate signed by unknown authority`],
  [{ code: 'CERT_HAS_EXPIRED' }, `${unverified} certificate has expired or is not yet valid`],
  [
    {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      host: 'c.example.',
      cert: { subjectaltname: 'IP Address:10.0.0.1, DNS:a.example, DNS:b.example' },
    },
    `${unverified} certificate is valid for a.example, b.example, not c.example`,
  ],
  [
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: '10.0.0.2', cert: { subjectaltname: 'IP Address:10.0.0.1, DNS:a' } },
    `${unverified} certificate is valid for 10.0.0.1, not 10.0.0.2`,
  ],
  [
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: '10.0.0.2', cert: { subjectaltname: 'DNS:a' } },
    `${unverified} cannot validate certificate for 10.0.0.2 because it doesn't contain any IP SANs`,
  ],
  [
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: 'a', cert: {} },
    `${unverified} certificate is not valid for any names, but wanted to match a`,
  ],
  [{ code: 'ESOMETHING' }, 'it broke'],
];

/** Answers that are not a Status. Each has its code and text, and the text for the user. */
const answers: readonly (readonly [code: number, body: string, reason: string, message: string])[] = [
  [401, 'who', 'Unauthorized', 'the server has asked for the client to provide credentials'],
  [403, 'not you', 'Forbidden', 'not you'],
  [404, '404 page not found', 'NotFound', 'the server could not find the requested resource'],
  [429, '', 'TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  [500, 'oops', 'InternalError', 'an error on the server ("oops") has prevented the request from succeeding'],
  [502, '', 'InternalError', 'an error on the server has prevented the request from succeeding'],
  [503, 'busy', 'ServiceUnavailable', 'the server is currently unable to handle the request'],
  [301, '', '', 'the server answered 301'],
];

describe('connectionWords and plainAnswer', () => {
  for (const [cause, said] of words)
    it(JSON.stringify(cause), () => {
      const told = connectionWords(new ConnectionError('it broke', true, { cause: Object.assign(new Error(), cause) }));
      if (typeof said === 'string') assert.equal(told, said);
      else assert.match(told, said);
    });
  it('connectionWords names the DNS server that was asked for a host', () => {
    const [server] = getServers();
    const cause = Object.assign(new Error(), { code: 'ENOTFOUND', hostname: 'a' });
    const told = connectionWords(new ConnectionError('', false, { cause }));
    assert.equal(told.includes(` on `), server !== undefined);
  });
  it('connectionWords explains a deadline', () =>
    assert.equal(connectionWords(new DeadlineError('', true)), 'context deadline exceeded'));

  for (const [code, body, reason, message] of answers)
    it(`plainAnswer explains a response ${code} ${body}`, () =>
      assert.deepEqual(plainAnswer(code, body), { reason, message }));
});
