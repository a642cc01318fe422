import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  ECHO_PATH,
  echoHead,
  echoRequester,
  metricsOf,
  openTestIngress,
  postEcho,
} from '../../support/worlds/ingress-fixture.ts';
import { hasBody, openRawHttp } from '../../support/raw-http.ts';

const MIB = 1_048_576;
const NOT_ALLOWED = { status: 405, code: 'method-not-allowed' };
const other = (name: string) => ECHO_PATH.replace('PLAT_BP_Echo', name);

/** The problem document of a response; checks what all problem documents have in common (E1). */
async function problemOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({
    status: response.status,
    type: `urn:plat:problem:${String(problem['code'])}`,
    title: expect.any(String) as string,
    correlationId: response.headers.get('x-correlation-id'),
  });
  expect(JSON.stringify(problem)).not.toMatch(/\bat .*\.ts|stack|node_modules/);
  return problem;
}

it('get the problem of an unknown path, 405 and Allow, 204 for OPTIONS, and no CORS headers', async () => {
  const { url } = await openTestIngress();
  for (const [path, status, code, detail = ''] of [
    [other('PLAT_BP_Nothing'), 404, 'unknown-action'],
    [other('__proto__'), 404, 'unknown-action'],
    [other('PLAT_BP_Ehco'), 404, 'unknown-action', 'Did you mean PLAT_BP_Echo? The documentation at /docs'],
    ['/platapi/other', 404, 'not-found'],
    [ECHO_PATH.toLowerCase().replace('platapi', 'PlatApi'), 404, 'not-found'],
    [`${ECHO_PATH}/more`, 404, 'not-found'],
    [other('x'.repeat(600)), 404, 'not-found'],
    [other('%ff'), 400, 'invalid-request'],
  ] as const) {
    const problem = await problemOf(await fetch(url + path, { method: 'POST', body: 'x' }));
    expect(problem).toMatchObject({ status, code });
    expect(String(problem['detail'])).toContain(detail);
  }
  expect((await fetch(url + other('PLAT_BP_Nothing'))).status).toBe(404);
  const ask = async (path: string, method: string, body?: string) => {
    const response = await fetch(url + path, { method, ...(body === undefined ? {} : { body }) });
    return { response, allow: response.headers.get('allow') };
  };
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND']) {
    const { response, allow } = await ask(ECHO_PATH, method);
    expect([method, allow]).toEqual([method, 'POST, OPTIONS']);
    expect(await problemOf(response)).toMatchObject(NOT_ALLOWED);
  }
  for (const path of ['/docs', '/openapi.json', '/health/ready', '/metrics', '/platapi/results/x'])
    for (const { response, allow } of [await ask(path, 'POST', 'x'), await ask(path, 'QUERY')]) {
      expect([path, allow]).toEqual([path, 'GET, HEAD, OPTIONS']);
      expect(await problemOf(response)).toMatchObject(NOT_ALLOWED);
    }
  const head = await ask(ECHO_PATH, 'HEAD');
  expect([head.response.status, head.allow]).toEqual([405, 'POST, OPTIONS']);
  expect(await head.response.text()).toBe('');
  const preflight = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
  const options = await fetch(url + ECHO_PATH, { method: 'OPTIONS', headers: preflight });
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  expect(options.headers.get('access-control-allow-origin')).toBeNull();
});

it('get 415 for another type or coding, 400 for a bad body, and 200 in chunks and HTTP/1.0', async () => {
  const ingress = await openTestIngress();
  const typed = (type: string) => postEcho(ingress, '{}', { 'content-type': type });
  expect((await typed('Application/JSON;charset="UTF-8"')).status).toBe(200);
  const untyped = { method: 'POST', body: new Uint8Array([0x7b, 0x7d]) };
  for (const refused of [
    await typed('application/json; charset=latin1'),
    await postEcho(ingress, '{}', { 'content-encoding': 'gzip' }),
    await fetch(ingress.url + ECHO_PATH, untyped),
  ])
    expect(await problemOf(refused)).toMatchObject({ status: 415, code: 'unsupported-media-type' });
  for (const [body, code, errors] of [
    ['', 'empty-body', undefined],
    [Buffer.from('{"a":"\u00e4"}', 'latin1'), 'malformed-json', [{ code: 'not-utf8' }]],
    [
      '{"a":[{"b":1,"b":2}],"receiver":1,"receiver":2}',
      'invalid-request',
      [
        { path: 'a[0].b', code: 'repeated-member' },
        { path: 'receiver', code: 'repeated-member' },
      ],
    ],
    ['{"bad1":0,"good":1,"bad2":0}', 'invalid-request', [{ path: 'bad1' }, { path: 'bad2' }]],
  ] as const) {
    const problem = await problemOf(await postEcho(ingress, body));
    expect(problem).toMatchObject({ status: 400, code, ...(errors && { errors }) });
  }
  const chunked = await openRawHttp(ingress.port);
  chunked.send(`${echoHead('Transfer-Encoding: chunked\r\n')}0\r\n\r\n`);
  expect(await chunked.received(hasBody)).toContain('"code":"empty-body"');
  expect(await (await postEcho(ingress, '\ufeff{"a":"ä"}')).json()).toEqual({ a: 'ä' });
  for (const bytes of [
    echoHead('Transfer-Encoding: Chunked\r\n') + CHUNKED,
    `${head('Content-Length: 2\r\n', 'HTTP/1.0')}{}`,
  ]) {
    const raw = await openRawHttp(ingress.port);
    raw.send(bytes);
    expect(await raw.received(hasBody)).toMatch(/^HTTP\/1.1 200 /);
  }
});

const ofLength = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

it('a long body is refused one byte above the limit and accepted at the limit', async () => {
  const ingress = await openTestIngress({ options: { bodyLimitBytes: 1_000 } });
  expect((await postEcho(ingress, ofLength(1_000))).status).toBe(200);
  const detail = 'A body may have at most 1000 bytes.';
  const problem = { status: 413, code: 'body-too-large', detail };
  expect(await problemOf(await postEcho(ingress, ofLength(1_001)))).toMatchObject(problem);
});

it('a long body gets a response at 20 MiB, none 100 Continue, and one without end is cut', async () => {
  const ingress = await openTestIngress();
  const response = await postEcho(ingress, Buffer.alloc(20 * MIB, 0x20));
  expect(await problemOf(response)).toMatchObject({ status: 413, code: 'body-too-large' });
  const raw = await openRawHttp(ingress.port);
  raw.socket.pause();
  raw.send(echoHead('Transfer-Encoding: chunked\r\n'));
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 0x20), Buffer.from('\r\n')]);
  for (let sent = 0; sent < 20; sent++) await new Promise((resolve) => raw.socket.write(chunk, resolve));
  raw.send('0\r\n\r\n');
  raw.socket.resume();
  const text = await raw.received(hasBody);
  expect(text).toMatch(/^HTTP\/1.1 413 [^]*\r\nconnection: close\r\n/i);
  expect(text).toContain('"code":"body-too-large"');
  await raw.closed();
  expect((await postEcho(ingress, {})).status).toBe(200);
  const expecting = async (length: number) => {
    const asked = await openRawHttp(ingress.port);
    asked.send(echoHead(`Expect: 100-continue\r\nContent-Length: ${length}\r\n`));
    return asked;
  };
  const refusal = await (await expecting(20 * MIB)).received(hasBody);
  expect(refusal).toMatch(/^HTTP\/1.1 413 /);
  expect(refusal).not.toContain('100 Continue');
  const short = await expecting(2);
  expect(await short.received((so) => so.includes('\r\n\r\n'))).toMatch(/^HTTP\/1.1 100 Continue/);
  short.send('{}');
  await short.received((so) => so.includes('200 OK') && so.endsWith('{}'));
  const endless = await openRawHttp(ingress.port);
  endless.send(echoHead(`Content-Length: ${1_000 * MIB}\r\n`));
  const block = Buffer.alloc(MIB, 0x20);
  const pump = (): void => {
    while (!endless.socket.destroyed && endless.socket.write(block));
  };
  endless.socket.on('drain', pump);
  pump();
  await endless.closed();
  expect(endless.socket.bytesWritten).toBeLessThan(100 * MIB);
  expect((await postEcho(ingress, {})).status).toBe(200);
});

const CHUNKED = '2\r\n{}\r\n0\r\n\r\n';
const head = (lines: string, version = 'HTTP/1.1') =>
  `POST ${ECHO_PATH} ${version}\r\nContent-Type: application/json\r\n${lines}\r\n`;

it.each([
  ['no host', `${head('Content-Length: 2\r\n')}{}`],
  ['two hosts', `${echoHead('Host: b\r\nContent-Length: 2\r\n')}{}`],
  ['one host twice in HTTP/1.0', `${head('Host: a\r\nHost: a\r\nContent-Length: 2\r\n', 'HTTP/1.0')}{}`],
  ['another coding before chunked', echoHead('Transfer-Encoding: gzip, chunked\r\n') + CHUNKED],
  ['another coding alone', echoHead('Transfer-Encoding: xchunked\r\n') + CHUNKED],
  ['chunks in HTTP/1.0', head('Transfer-Encoding: chunked\r\n', 'HTTP/1.0') + CHUNKED],
  ['HTTP/0.9', 'GET /docs\r\n\r\n'],
  ['HTTP/2.0', `${head('Host: a\r\nContent-Length: 2\r\n', 'HTTP/2.0')}{}`],
  ['nonsense', 'nonsense\r\n\r\n'],
  ['a length that is not a number', echoHead('Content-Length: abc\r\n')],
  ['a negative length', echoHead('Content-Length: -1\r\n')],
  ['two lengths', echoHead('Content-Length: 2\r\nContent-Length: 3\r\n')],
  ['both a length and chunks', echoHead('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n')],
  ['a malformed chunk', `${echoHead('Transfer-Encoding: chunked\r\n')}zz\r\n`],
  ['headers beyond 16 KiB', head(`X-Long: ${'x'.repeat(20_000)}\r\n`), 431, 'headers-too-large'],
  ['an address beyond 16 KiB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'headers-too-large'],
  ['CONNECT', 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n', 405, 'method-not-allowed'],
] as readonly [string, string, number?, string?][])(
  'malformed HTTP is refused and its connection closed: %s',
  async (_what, bytes, status = 400, code = 'malformed-http') => {
    const requester = echoRequester();
    const ingress = await openTestIngress({ requester });
    const raw = await openRawHttp(ingress.port);
    raw.send(bytes);
    const text = await raw.received(hasBody);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toMatch(/content-type: application\/problem\+json/i);
    expect(text).toMatch(/"correlationId":"[\da-f-]{36}"/);
    expect(text).toContain(`"code":"${code}"`);
    expect(/\r\nAllow: /.test(text)).toBe(status === 405);
    raw.socket.end();
    await raw.closed();
    expect(requester.requests).toEqual([]);
    expect((await postEcho(ingress, {})).status).toBe(200);
  },
);

it.each([
  ['nonsense after two valid requests', '{"n":2}nonsense\r\n\r\n', 2],
  ['a request that its caller does not finish', '{"n":', 1],
])(
  'malformed HTTP is refused after the responses to valid requests before it: %s',
  async (_what, rest, valid) => {
    const first = Promise.withResolvers<void>();
    const requester = echoRequester((payload) => (payload as { n: number }).n === 1 && first.promise);
    const ingress = await openTestIngress({ requester });
    const raw = await openRawHttp(ingress.port);
    const good = echoHead('Content-Length: 7\r\n');
    raw.send(`${good}{"n":1}${good}${rest}`);
    await expect.poll(() => requester.requests.length).toBe(valid);
    if (valid === 2) raw.send('more nonsense\r\n\r\n');
    else raw.socket.end();
    await sleep(50);
    first.resolve();
    await raw.closed();
    const text = await raw.received(() => true);
    const answers = ['HTTP/1.1 200', '{"n":1}', 'HTTP/1.1 200', '{"n":2}'].slice(0, 2 * valid);
    expect(text.match(/HTTP\/1.1 \d+|{"n":\d}|"code":"malformed-http"/g)).toEqual([
      ...answers,
      'HTTP/1.1 400',
      '"code":"malformed-http"',
    ]);
    // The connection that asks.
    expect(await metricsOf(ingress)).toContain('\nplat_http_requests_in_flight 1\n');
  },
);
