import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import { ECHO_PATH, openTestIngress, postEcho } from '../../support/worlds/ingress-fixture.ts';
import { hasBody, openRawHttp } from '../../support/raw-http.ts';

const CHUNKED = '2\r\n{}\r\n0\r\n\r\n';
const head = (lines: string, version = 'HTTP/1.1') =>
  `POST ${ECHO_PATH} ${version}\r\nContent-Type: application/json\r\n${lines}\r\n`;

describe('malformed HTTP and ambiguous framing (RFC 9112)', () => {
  it.each([
    ['no host', `${head('Content-Length: 2\r\n')}{}`],
    ['two hosts', `${head('Host: localhost\r\nHost: b\r\nContent-Length: 2\r\n')}{}`],
    [
      'another coding before chunked',
      head('Host: localhost\r\nTransfer-Encoding: gzip, chunked\r\n') + CHUNKED,
    ],
    ['another coding alone', head('Host: localhost\r\nTransfer-Encoding: xchunked\r\n') + CHUNKED],
    ['chunks in HTTP/1.0', head('Transfer-Encoding: chunked\r\n', 'HTTP/1.0') + CHUNKED],
    ['HTTP/0.9', 'GET /docs\r\n\r\n'],
    ['nonsense', 'nonsense\r\n\r\n'],
    ['a length that is not a number', head('Host: localhost\r\nContent-Length: abc\r\n')],
    ['a negative length', head('Host: localhost\r\nContent-Length: -1\r\n')],
    ['two lengths', head('Host: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n')],
    [
      'both a length and chunks',
      head('Host: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n'),
    ],
    ['a malformed chunk', `${head('Host: localhost\r\nTransfer-Encoding: chunked\r\n')}zz\r\n`],
    ['headers beyond 16 KiB', head(`X-Long: ${'x'.repeat(20_000)}\r\n`), 431, 'headers-too-large'],
    [
      'an address beyond 16 KiB',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      431,
      'headers-too-large',
    ],
  ] as readonly [string, string, number?, string?][])(
    'is refused with a problem, and the connection is closed: %s',
    async (_what, bytes, status = 400, code = 'malformed-http') => {
      const requester = createFakeRequester(({ payload }) => ({ kind: 'reply', type: 'EchoReply', payload }));
      const ingress = await openTestIngress({ requester });
      const raw = await openRawHttp(ingress.port);
      raw.send(bytes);
      const text = await raw.received(hasBody);
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
      expect(text).toMatch(/content-type: application\/problem\+json/i);
      expect(text).toMatch(/"correlationId":"[\da-f-]{36}"/);
      expect(text).toContain(`"code":"${code}"`);
      raw.socket.end();
      await raw.closed();
      expect(requester.requests).toEqual([]);
      expect((await postEcho(ingress, {})).status).toBe(200);
    },
  );

  it('does not include a chunked body or HTTP/1.0 without Host', async () => {
    const ingress = await openTestIngress();
    for (const bytes of [
      head('Host: localhost\r\nTransfer-Encoding: Chunked\r\n') + CHUNKED,
      `${head('Content-Length: 2\r\n', 'HTTP/1.0')}{}`,
    ]) {
      const raw = await openRawHttp(ingress.port);
      raw.send(bytes);
      expect(await raw.received(hasBody)).toMatch(/^HTTP\/1.1 200 /);
    }
  });
});

describe('bytes that are not HTTP after valid requests', () => {
  it('get their response after the valid requests', async () => {
    const first = Promise.withResolvers<void>();
    const requester = createFakeRequester(async ({ payload }) => {
      await first.promise;
      return { kind: 'reply', type: 'EchoReply', payload };
    });
    const ingress = await openTestIngress({ requester });
    const raw = await openRawHttp(ingress.port);
    const good = head('Host: localhost\r\nContent-Length: 7\r\n');
    raw.send(`${good}{"n":1}${good}{"n":2}nonsense\r\n\r\n`);
    await expect.poll(() => requester.requests.length).toBe(2);
    raw.send('more nonsense\r\n\r\n');
    first.resolve();
    await raw.closed();
    const text = await raw.received(() => true);
    expect(text.match(/HTTP\/1.1 \d+|{"n":\d}|malformed-http"/g)).toEqual([
      'HTTP/1.1 200',
      '{"n":1}',
      'HTTP/1.1 200',
      '{"n":2}',
      'HTTP/1.1 400',
      'malformed-http"',
      'malformed-http"',
    ]);
  });
});

describe('a request that its caller does not finish', () => {
  it('is refused after the response to the valid request before it, and leaves nothing in progress', async () => {
    const first = Promise.withResolvers<void>();
    const requester = createFakeRequester(async ({ payload }) => {
      await first.promise;
      return { kind: 'reply', type: 'EchoReply', payload };
    });
    const ingress = await openTestIngress({ requester });
    const raw = await openRawHttp(ingress.port);
    const lines = 'Host: localhost\r\nContent-Length: 7\r\n';
    raw.send(`${head(lines)}{"n":1}${head(lines)}{"n":`);
    await expect.poll(() => requester.requests.length).toBe(1);
    raw.socket.end();
    await sleep(50);
    first.resolve();
    await raw.closed();
    const text = await raw.received(() => true);
    expect(text.match(/HTTP\/1.1 \d+|{"n":\d}|"code":"malformed-http"/g)).toEqual([
      'HTTP/1.1 200',
      '{"n":1}',
      'HTTP/1.1 400',
      '"code":"malformed-http"',
    ]);
    const metrics = await (await fetch(`${ingress.url}/metrics`)).text();
    // The connection that asks.
    expect(metrics).toContain('\nplat_http_requests_in_flight 1\n');
  });
});

describe('Expect and methods', () => {
  it('responds to CONNECT with 405 and closes the connection', async () => {
    const ingress = await openTestIngress();
    const raw = await openRawHttp(ingress.port);
    raw.send('CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n');
    const text = await raw.received(hasBody);
    expect(text).toMatch(/^HTTP\/1.1 405 .*\r\nAllow: /s);
    expect(text).toContain('"code":"method-not-allowed"');
    raw.socket.end();
    await raw.closed();
  });
});
