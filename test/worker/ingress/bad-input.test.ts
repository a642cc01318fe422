import { describe, expect, it } from 'vitest';
import { ECHO_PATH, openTestIngress, postEcho } from '../../support/worlds/ingress-fixture.ts';
import { hasBody, openRawHttp } from '../../support/raw-http.ts';

const MIB = 1_048_576;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The problem document of a response; checks what all problem documents have in common (E1). */
async function problemOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({
    status: response.status,
    type: `urn:plat:problem:${String(problem['code'])}`,
  });
  expect(problem['title']).toEqual(expect.any(String));
  expect(problem['correlationId']).toBe(response.headers.get('x-correlation-id'));
  expect(JSON.stringify(problem)).not.toMatch(/\bat .*\.ts|stack|node_modules/);
  return problem;
}

describe('path and method', () => {
  it.each([
    ['an unknown action', ECHO_PATH.replace('PLAT_BP_Echo', 'PLAT_BP_Nothing'), 404, 'unknown-action'],
    ['the action __proto__', ECHO_PATH.replace('PLAT_BP_Echo', '__proto__'), 404, 'unknown-action'],
    ['an unknown path', '/platapi/other', 404, 'not-found'],
    ['a path with different case', ECHO_PATH.toLowerCase().replace('platapi', 'PlatApi'), 404, 'not-found'],
    ['a longer path', `${ECHO_PATH}/more`, 404, 'not-found'],
    ['a path that is too long', ECHO_PATH.replace('PLAT_BP_Echo', 'x'.repeat(600)), 404, 'not-found'],
    ['an invalid escape', ECHO_PATH.replace('PLAT_BP_Echo', '%ff'), 400, 'invalid-request'],
  ])('responds with the problem of %s', async (_name, path, status, code) => {
    const { url } = await openTestIngress();
    const response = await fetch(url + path, { method: 'POST', body: 'x', headers: JSON_TYPE });
    expect(await problemOf(response)).toMatchObject({ status, code });
  });

  it('suggests the most similar action, and responds with 404 to every method on an unknown action', async () => {
    const { url } = await openTestIngress();
    const similar = await fetch(`${url}${ECHO_PATH.replace('Echo', 'Ehco')}`, { method: 'POST' });
    expect(await similar.json()).toMatchObject({
      code: 'unknown-action',
      detail: 'Did you mean PLAT_BP_Echo? The documentation at /docs lists the actions.',
    });
    expect((await fetch(url + ECHO_PATH.replace('Echo', 'Nothing'))).status).toBe(404);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND'])(
    'responds with 405 and Allow to %s on an action',
    async (method) => {
      const ingress = await openTestIngress();
      const response = await fetch(ingress.url + ECHO_PATH, { method });
      expect(response.headers.get('allow')).toBe('POST, OPTIONS');
      expect(await problemOf(response)).toMatchObject({ status: 405, code: 'method-not-allowed' });
    },
  );

  it('responds to HEAD on an action with 405 and no body, and to OPTIONS with 204 and no CORS headers', async () => {
    const ingress = await openTestIngress();
    const head = await fetch(ingress.url + ECHO_PATH, { method: 'HEAD' });
    expect([head.status, head.headers.get('allow'), await head.text()]).toEqual([405, 'POST, OPTIONS', '']);
    const preflight = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
    const options = await fetch(ingress.url + ECHO_PATH, { method: 'OPTIONS', headers: preflight });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each(
    ['/docs', '/openapi.json', '/health/ready', '/metrics', '/platapi/results/x'].flatMap((path) => [
      { path, method: 'POST', body: 'x' },
      { path, method: 'QUERY', body: undefined },
    ]),
  )('responds with 405 and Allow to $method $path', async ({ path, method, body }) => {
    const ingress = await openTestIngress();
    const response = await fetch(ingress.url + path, { method, ...(body === undefined ? {} : { body }) });
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(await problemOf(response)).toMatchObject({ status: 405, code: 'method-not-allowed' });
  });
});

describe('the content type', () => {
  it('responds with 415 to another type, to a compressed body and to a body without a type', async () => {
    const ingress = await openTestIngress();
    const typed = (type: string) => postEcho(ingress, '{}', { 'content-type': type });
    expect((await typed('Application/JSON;charset="UTF-8"')).status).toBe(200);
    expect(await problemOf(await typed('application/json; charset=latin1'))).toMatchObject({ status: 415 });
    expect(await problemOf(await postEcho(ingress, '{}', { 'content-encoding': 'gzip' }))).toMatchObject({
      status: 415,
      code: 'unsupported-media-type',
    });
    const untyped = await fetch(ingress.url + ECHO_PATH, {
      method: 'POST',
      body: new Uint8Array([0x7b, 0x7d]),
    });
    expect(await problemOf(untyped)).toMatchObject({ status: 415, code: 'unsupported-media-type' });
  });
});

describe('the body', () => {
  it('gets 400 empty-body if it is missing', async () => {
    const ingress = await openTestIngress();
    expect(await problemOf(await postEcho(ingress, ''))).toMatchObject({ status: 400, code: 'empty-body' });
    const chunked = await openRawHttp(ingress.port);
    chunked.send(
      `POST ${ECHO_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    );
    expect(await chunked.received(hasBody)).toContain('"code":"empty-body"');
  });

  it('gets 400 if it is not UTF-8; a byte order mark is ignored', async () => {
    const ingress = await openTestIngress();
    const latin1 = Buffer.from('{"a":"\u00e4"}', 'latin1');
    const problem = await problemOf(await postEcho(ingress, latin1));
    expect(problem).toMatchObject({ status: 400, code: 'malformed-json' });
    expect(problem['errors']).toMatchObject([{ code: 'not-utf8' }]);
    expect(await (await postEcho(ingress, '\ufeff{"a":"ä"}')).json()).toEqual({ a: 'ä' });
  });

  it('gets 400 that names the paths of repeated members', async () => {
    const body = '{"a":[{"b":1,"b":2}],"receiver":1,"receiver":2}';
    const problem = await problemOf(await postEcho(await openTestIngress(), body));
    expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(problem['errors']).toMatchObject([
      { path: 'a[0].b', code: 'repeated-member' },
      { path: 'receiver', code: 'repeated-member' },
    ]);
  });

  it('gets all faults of its fields together (E3)', async () => {
    const response = await postEcho(await openTestIngress(), { bad1: 0, good: 1, bad2: 0 });
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(problem['errors']).toMatchObject([{ path: 'bad1' }, { path: 'bad2' }]);
  });
});

const ofLength = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

const expecting = (length: number) =>
  `POST ${ECHO_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

describe('a body that is too long', () => {
  it('is refused one byte above the limit and accepted at the limit', async () => {
    const ingress = await openTestIngress({ options: { bodyLimitBytes: 1_000 } });
    expect((await postEcho(ingress, ofLength(1_000))).status).toBe(200);
    expect(await problemOf(await postEcho(ingress, ofLength(1_001)))).toMatchObject({
      status: 413,
      code: 'body-too-large',
      detail: 'A body may have at most 1000 bytes.',
    });
  });

  it('gets a response at 20 MiB with Content-Length, and the instance stays available', async () => {
    const ingress = await openTestIngress();
    const response = await postEcho(ingress, Buffer.alloc(20 * MIB, 0x20));
    expect(await problemOf(response)).toMatchObject({ status: 413, code: 'body-too-large' });
    expect((await postEcho(ingress, {})).status).toBe(200);
  });

  it('gets a response at 20 MiB in chunks, even to a client that sends all of them before it reads', async () => {
    const ingress = await openTestIngress();
    const raw = await openRawHttp(ingress.port);
    raw.socket.pause();
    const head = `POST ${ECHO_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    raw.send(head);
    for (let chunk = 0; chunk < 20; chunk++) {
      await new Promise((resolve) => {
        raw.socket.write(
          Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 0x20), Buffer.from('\r\n')]),
          resolve,
        );
      });
    }
    raw.send('0\r\n\r\n');
    raw.socket.resume();
    const text = await raw.received(hasBody);
    expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text).toContain('"code":"body-too-large"');
    await raw.closed();
  });

  it('is refused by its Content-Length before 100 Continue (Expect: 100-continue)', async () => {
    const ingress = await openTestIngress();
    const long = await openRawHttp(ingress.port);
    long.send(expecting(20 * MIB));
    const refusal = await long.received(hasBody);
    expect(refusal).toMatch(/^HTTP\/1.1 413 /);
    expect(refusal).not.toContain('100 Continue');
    const short = await openRawHttp(ingress.port);
    short.send(expecting(2));
    expect(await short.received((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1.1 100 Continue/);
    short.send('{}');
    expect(await short.received((text) => text.includes('200 OK') && text.endsWith('{}'))).toContain(
      '200 OK',
    );
  });

  it('is disconnected when the client keeps sending after the response', async () => {
    const ingress = await openTestIngress();
    const raw = await openRawHttp(ingress.port);
    raw.send(
      `POST ${ECHO_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${1_000 * MIB}\r\n\r\n`,
    );
    const block = Buffer.alloc(MIB, 0x20);
    const pump = (): void => {
      while (!raw.socket.destroyed && raw.socket.write(block));
    };
    raw.socket.on('drain', pump);
    pump();
    await raw.closed();
    expect(raw.socket.bytesWritten).toBeLessThan(100 * MIB);
    expect((await postEcho(ingress, {})).status).toBe(200);
  });
});
