import assert from 'node:assert/strict';
import { whyFailed } from './why-failed.ts';

describe('whyFailed', () => {
  const table: [error: object, why: string][] = [
    [{ code: 'ECONNREFUSED' }, 'dial tcp h:1: connect: connection refused'],
    [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 'dial tcp h:1: i/o timeout'],
    [{ code: 'ENOTFOUND' }, 'dial tcp h:1: no such host'],
    [{ code: 'ECONNRESET' }, 'EOF'],
    [{ code: 'UND_ERR_SOCKET', message: 'other side closed' }, 'EOF'],
    [
      { code: 'UND_ERR_SOCKET', message: 'bad upgrade' },
      'net/http: HTTP/1.x transport connection broken: malformed HTTP response',
    ],
    [{ name: 'HTTPParserError' }, 'net/http: HTTP/1.x transport connection broken: malformed HTTP response'],
    [
      { code: 'ERR_ASSERTION', message: 'The expression evaluated to a falsy value' },
      'net/http: HTTP/1.x transport connection broken: malformed HTTP response',
    ],
    [{ code: 'HPE_INVALID_CONSTANT' }, 'net/http: HTTP/1.x transport connection broken: malformed HTTP response'],
    [{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'x509: certificate signed by unknown authority'],
    [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'x509: certificate signed by unknown authority'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'x509: certificate has expired or is not yet valid'],
    [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'not for h' }, 'x509: not for h'],
    [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER', message: '7F00:error:0A00' }, 'tls: wrong version number'],
    [{ message: 'context deadline exceeded' }, 'context deadline exceeded'],
  ];
  for (const [error, why] of table) {
    it(JSON.stringify(error), () => {
      assert.equal(whyFailed(Object.assign(new Error(), error), 'h:1'), why);
    });
  }
});
