import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { silentLog, type Log } from '../../../shared/platform/log.ts';
import { createAccess } from '../../../workers/ingress/access/create-access.ts';
import { createJwtAccess } from '../../../workers/ingress/access/jwt-access.ts';
import type { JwtSettings } from '../../../workers/ingress/access/jwt-access.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import { ECHO_PATH, openTestIngress, postEcho } from '../../support/worlds/ingress-fixture.ts';

const SECRET = 'a shared secret for the tests of at least 32 characters';
const NO_KEYS: JwtSettings = {
  jwtSecret: undefined,
  jwksUrl: undefined,
  issuer: undefined,
  audience: 'engine',
};
const key = new TextEncoder().encode(SECRET);

const access = (settings: Partial<JwtSettings> = {}, log: Log = silentLog) =>
  createJwtAccess({ ...NO_KEYS, ...settings }, { clock: systemClock, log });

const token = (claims: JWTPayload, expiresIn = '5m', secret = key): Promise<string> =>
  new SignJWT({ aud: 'engine', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expiresIn)
    .sign(secret);

const HOURS_OF_A_YEAR = 8_760;
const fromNow = (hours: number): number => Math.floor(Date.now() / 1_000) + hours * 3_600;
/** A token whose times are given in hours from now. */
const claimed = ({
  iat,
  exp = 1,
  ...claims
}: {
  iat?: number;
  exp?: number;
  aud?: string | string[] | undefined;
}) => {
  const times = { exp: fromNow(exp), ...(iat === undefined ? {} : { iat: fromNow(iat) }) };
  return new SignJWT({ sub: 'u1', aud: 'engine', ...claims, ...times } as JWTPayload)
    .setProtectedHeader({ alg: 'HS256' })
    .sign(key);
};

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

const openGuarded = (settings: Partial<JwtSettings> = {}, log: Log = silentLog) =>
  openTestIngress({ access: access({ jwtSecret: SECRET, ...settings }, log), log });

describe('access by bearer token', () => {
  it('admits a valid token, even from the cache', async () => {
    const ingress = await openGuarded();
    const valid = bearer(await token({ sub: 'u1' }));
    for (let call = 0; call < 3; call++) expect((await postEcho(ingress, {}, valid)).status).toBe(200);
  });

  it('responds with 401 and WWW-Authenticate without a token', async () => {
    const response = await postEcho(await openGuarded(), {});
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="platapi"');
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
  });

  it('responds with 401 to invalid tokens before it reads the body', async () => {
    const requester = createFakeRequester(({ payload }) => ({ kind: 'reply', type: 'EchoReply', payload }));
    const settings = { jwtSecret: SECRET, issuer: 'bank' };
    const ingress = await openTestIngress({ access: access(settings), requester });
    const good = { sub: 'u1', iss: 'bank', aud: 'engine' };
    const [header, payload] = (await token(good)).split('.');
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    const bad = [
      await token(good, '-1m'),
      await token(good, '5m', new TextEncoder().encode('another secret of at least 32 characters')),
      await token({ ...good, iss: 'elsewhere' }),
      await token({ ...good, aud: 'elsewhere' }),
      await token({ iss: 'bank', aud: 'engine' }),
      await token({ ...good, sub: '' }),
      ...(await Promise.all(
        [7, ['u1'], { a: 1 }].map((sub) => token({ ...good, sub: sub as unknown as string })),
      )),
      await token({ ...good, nbf: Math.floor(Date.now() / 1_000) + 600 }),
      await new SignJWT(good).setProtectedHeader({ alg: 'HS256' }).sign(key),
      `${header}.${payload}.`,
      `${unsigned}.${payload}.`,
      'nonsense',
      'x'.repeat(9_000),
    ];
    for (const value of bad) {
      const response = await postEcho(ingress, 'not JSON', bearer(value));
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="platapi", error="invalid_token"');
    }
    expect((await postEcho(ingress, {}, { authorization: `Basic ${await token(good)}` })).status).toBe(401);
    expect((await postEcho(ingress, {}, bearer(await token(good)))).status).toBe(200);
    expect(requester.requests.length).toBe(1);
  });

  it.each([
    ['no audience', { aud: undefined }, 'The access token is not for this service (aud).'],
    ['another audience', { aud: 'ledger' }, 'The access token is not for this service (aud).'],
    [
      'an expiry a year from now',
      { exp: HOURS_OF_A_YEAR },
      'The access token is valid for longer than 24 h (exp).',
    ],
    [
      '25 hours from issue to expiry',
      { iat: -24, exp: 1 },
      'The access token is valid for longer than 24 h (exp).',
    ],
    [
      'an expiry 25 hours from now, issued at the same time',
      { iat: 24, exp: 25 },
      'The access token is valid for longer than 24 h (exp).',
    ],
  ])('refuses a token with %s and names the claim', async (_, claims, detail) => {
    const ingress = await openGuarded();
    const response = await postEcho(ingress, {}, bearer(await claimed(claims)));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'unauthenticated', detail });
  });

  it.each([
    ['one of several audiences', { aud: ['ledger', 'engine'] }],
    ['24 hours from issue to expiry', { iat: -23, exp: 1 }],
  ])('admits a token with %s', async (_, claims) => {
    const ingress = await openGuarded();
    expect((await postEcho(ingress, {}, bearer(await claimed(claims)))).status).toBe(200);
  });

  it('does not name claims of a token with an invalid signature', async () => {
    const other = new TextEncoder().encode('another secret of at least 32 characters');
    const response = await postEcho(
      await openGuarded(),
      {},
      bearer(await token({ aud: 'ledger' }, '5m', other)),
    );
    expect(await response.json()).toMatchObject({ detail: 'The access token is not valid.' });
  });

  it('refuses a cached token after its expiry', async () => {
    let nowMs = Date.now();
    const clock = { now: () => nowMs };
    const guarded = createJwtAccess({ ...NO_KEYS, jwtSecret: SECRET }, { clock, log: silentLog });
    const ingress = await openTestIngress({ access: guarded });
    const valid = bearer(await token({ sub: 'u1' }, '30s'));
    expect((await postEcho(ingress, {}, valid)).status).toBe(200);
    nowMs += 60_000;
    expect((await postEcho(ingress, {}, valid)).status).toBe(401);
  });

  it('requires a token for results and returns these only to their owner', async () => {
    const ingress = await openGuarded();
    const owner = bearer(await token({ sub: 'u1' }));
    const accepted = await postEcho(ingress, {}, { ...owner, prefer: 'respond-async' });
    const url = ingress.url + (accepted.headers.get('location') ?? '');
    const statusFor = async (headers: Record<string, string>) => (await fetch(url, { headers })).status;
    expect(await statusFor(owner)).toBe(202);
    expect(await statusFor(bearer(await token({ sub: 'u1', other: 'token' })))).toBe(202);
    expect(await statusFor(bearer(await token({ sub: 'u2' })))).toBe(404);
    expect(await statusFor({})).toBe(401);
  });

  it('never takes a caller without a subject for the one whose subject is that user name', async () => {
    const ingress = await openGuarded();
    const alice = bearer(await token({ sub: 'alice' }));
    const accepted = await postEcho(ingress, {}, { ...alice, prefer: 'respond-async' });
    const url = ingress.url + ((await accepted.json()) as { href: string }).href;
    const statusFor = async (claims: JWTPayload) =>
      (await fetch(url, { headers: bearer(await token(claims)) })).status;
    expect(await statusFor({ sub: 'alice', preferred_username: 'ana' })).toBe(202);
    expect(await statusFor({ preferred_username: 'alice' })).toBe(404);
    expect(await statusFor({ sub: 'ana', preferred_username: 'alice' })).toBe(404);
    const named = bearer(await token({ preferred_username: 'alice' }));
    expect((await postEcho(ingress, { user_name: 'alice', Data: {} }, named)).status).toBe(200);
    expect(await statusFor({ sub: 'preferred_username=alice' })).toBe(401);
  });
});

describe('access by the generic form (E2)', () => {
  it('requires user_name to be the preferred user name of the access_token or, if it has none, its subject', async () => {
    const ingress = await openGuarded();
    const named = await token({ sub: 'u1', preferred_username: 'ana' });
    const post = (access_token: string, user_name?: string) =>
      postEcho(ingress, { access_token, user_name, Data: '{}' });
    expect((await post(named, 'ana')).status).toBe(200);
    expect((await post(await token({ sub: 'u1' }), 'u1')).status).toBe(200);
    const other = await post(named, 'u1');
    expect(other.status).toBe(403);
    expect(await other.json()).toMatchObject({ code: 'forbidden' });
    expect((await post(named)).status).toBe(401);
    expect((await post('nonsense', 'ana')).status).toBe(401);
  });

  it('does not count the bodies of refused requests towards the rate limit of the caller', async () => {
    const options = { rateLimitPerSecond: 4 };
    const guard = access({ jwtSecret: SECRET });
    const ingress = await openTestIngress({ access: guard, options });
    const body = JSON.stringify({ access_token: await token({ sub: 'u1' }), user_name: 'u1', Data: '{}' });
    const large = body + ' '.repeat(200_000);
    const send = async (text: string): Promise<number> => (await postEcho(ingress, text)).status;
    expect(await Promise.all([body, body, body, body].map(send))).toEqual([200, 200, 200, 200]);
    const refused = await Promise.all(Array.from({ length: 5 }, () => send(large)));
    expect(new Set(refused)).toEqual(new Set([429]));
    // With the cost of these bodies it would have to wait for four seconds.
    await expect.poll(() => send(body), { timeout: 2_500 }).toBe(200);
  });

  it('compares a user_name in the body with the bearer token', async () => {
    const ingress = await openGuarded();
    const headers = bearer(await token({ sub: 'u1', preferred_username: 'ana' }));
    expect((await postEcho(ingress, { user_name: 'ana', Data: {} }, headers)).status).toBe(200);
    expect((await postEcho(ingress, { user_name: 'eve', Data: {} }, headers)).status).toBe(403);
  });
});

describe('access by a key set', () => {
  it('verifies signatures with the key set, and refuses shared-secret signatures', async () => {
    const issuer = await openIssuer();
    issuer.start();
    const ingress = await openTestIngress({ access: access({ jwksUrl: issuer.url }) });
    expect((await postEcho(ingress, {}, bearer(await issuer.sign()))).status).toBe(200);
    expect((await postEcho(ingress, {}, bearer(await token({ sub: 'u1' })))).status).toBe(401);
  });

  it('fetches the key set from its URL and responds with 503 while it is unavailable', async () => {
    const issuer = await openIssuer();
    let nowMs = Date.now();
    const lines: string[] = [];
    const guard = createJwtAccess(
      { ...NO_KEYS, jwksUrl: issuer.url },
      { clock: { now: () => nowMs }, log: capturingLog(lines) },
    );
    const ingress = await openTestIngress({ access: guard });
    const signed = await issuer.sign();
    for (let call = 0; call < 5; call += 1) {
      const undecided = await postEcho(ingress, {}, bearer(signed));
      expect([undecided.status, undecided.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await undecided.json()).toMatchObject({ code: 'keys-unavailable' });
    }
    expect([issuer.requests(), lines.length]).toEqual([1, 1]);
    issuer.start();
    nowMs += 1_000;
    expect((await postEcho(ingress, {}, bearer(signed))).status).toBe(200);
    expect((await postEcho(ingress, {}, bearer(`${signed}x`))).status).toBe(401);
    for (const kid of ['2', '3', '4'])
      expect((await postEcho(ingress, {}, bearer(await issuer.sign(kid)))).status).toBe(401);
    expect(issuer.requests()).toBe(2);
  });
});

const readiness = async (url: string) => {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, body: await response.text() };
};

describe('the readiness of an ingress with a key set', () => {
  it('fails until a token can be checked, without waiting for a token', async () => {
    const issuer = await openIssuer();
    const ingress = await openTestIngress({ access: access({ jwksUrl: issuer.url }) });
    const before = await readiness(ingress.url);
    expect([before.status, before.body]).toEqual([
      503,
      expect.stringContaining('no access token can be checked'),
    ]);
    expect((await fetch(`${ingress.url}/health/live`)).status).toBe(200);
    issuer.start();
    await expect.poll(async () => (await readiness(ingress.url)).status, { timeout: 10_000 }).toBe(200);
  });

  it('stays while the key is a shared secret', async () => {
    expect((await readiness((await openGuarded()).url)).status).toBe(200);
  });

  it('fails while the answer of the issuer is longer than a key set, of which no more is read', async () => {
    const lines: string[] = [];
    let sentBytes = 0;
    let isEnded = false;
    const endless = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(65_536, ' ');
      const send = (): void => {
        while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
        response.once('drain', send);
      };
      response.once('close', () => {
        isEnded = true;
      });
      send();
    });
    const url = await listenAtEnd(endless);
    const guard = access({ jwksUrl: url }, capturingLog(lines));
    const ingress = await openTestIngress({ access: guard });
    await expect.poll(() => isEnded).toBe(true);
    expect(sentBytes).toBeLessThan(16 * 1_048_576);
    await expect.poll(() => lines.join('')).toContain('longer than');
    expect((await readiness(ingress.url)).status).toBe(503);
  });
});

/** Listens on loopback until the end of the test; returns an address. */
async function listenAtEnd(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
}

/** Opens an issuer whose key set, with the key `1`, is unavailable until `start`. */
async function openIssuer(otherKeys?: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  let isUp = false;
  let requests = 0;
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256', kid: '1' }] });
  const issuer = createServer((_request, response) => {
    requests += 1;
    response.writeHead(isUp ? 200 : 500, { 'content-type': 'application/json' }).end(otherKeys ?? keys);
  });
  return {
    url: await listenAtEnd(issuer),
    requests: () => requests,
    start: () => {
      isUp = true;
    },
    sign: (kid = '1') =>
      new SignJWT({ sub: 'u1', aud: 'engine' })
        .setProtectedHeader({ alg: 'RS256', kid })
        .setExpirationTime('5m')
        .sign(privateKey),
  };
}

describe('an ingress without access control', () => {
  it('is allowed on loopback only, with a warning', async () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'gateway.example', '127.evil.example', '']) {
      const opening = createAccess({ ...NO_KEYS, host }, { clock: systemClock, log: silentLog });
      await expect(opening).rejects.toThrow(/loopback/);
    }
    const lines: string[] = [];
    const log = capturingLog(lines);
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) {
      const opened = await createAccess({ ...NO_KEYS, host }, { clock: systemClock, log });
      expect(opened.required).toBe(false);
    }
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain('access control is off');
  });
});

describe('the log', () => {
  it('contains no token, body or query parameter', async () => {
    const lines: string[] = [];
    const log = capturingLog(lines);
    const broken = createFakeRequester(() => Promise.reject(new Error('a bug')));
    const ingress = await openTestIngress({
      access: access({ jwtSecret: SECRET }, log),
      log,
      requester: broken,
    });
    const planted = await token({ sub: 'planted-subject' });
    const spoiled = `${planted.slice(0, -4)}AAAA`;
    await postEcho(ingress, { note: 'planted-body' }, bearer(planted));
    await postEcho(ingress, { note: 'planted-body' }, bearer(spoiled));
    await postEcho(ingress, { access_token: planted, user_name: 'planted-user' });
    await postEcho(ingress, `{"access_token":"${planted}" planted-body`, {});
    await fetch(`${ingress.url}${ECHO_PATH}?access_token=${planted}`, { method: 'POST' });
    await fetch(`${ingress.url}/platapi/results/${planted}`, { headers: bearer(planted) });
    const written = lines.join('\n');
    expect(written).toContain('a request failed');
    for (const secret of [planted, spoiled, planted.split('.')[2] ?? '-', 'planted-']) {
      expect(written).not.toContain(secret);
    }
  });
});

function capturingLog(lines: string[]): Log {
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  return pino({ level: 'debug' }, stream);
}
