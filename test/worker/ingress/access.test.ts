import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { closeServer, listen } from '../../../shared/platform/http-server.ts';
import { silentLog, type Log } from '../../../shared/platform/log.ts';
import { createAccess } from '../../../workers/ingress/access/create-access.ts';
import { createJwtAccess, type JwtSettings } from '../../../workers/ingress/access/jwt-access.ts';
import { JWT_SECRET } from '../../support/builders/access-token.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import { ECHO_PATH, echoRequester, openTestIngress, postEcho } from '../../support/worlds/ingress-fixture.ts';

const NO_KEYS = { jwtSecret: undefined, jwksUrl: undefined, issuer: undefined, audience: 'engine' };
const key = new TextEncoder().encode(JWT_SECRET);
const otherKey = new TextEncoder().encode('another secret of at least 32 characters');

const access = (settings: Partial<JwtSettings> = {}, log: Log = silentLog, clock = systemClock) =>
  createJwtAccess({ ...NO_KEYS, ...settings }, { clock, log });

const token = (claims: JWTPayload, expiresIn: string | number = '5m', secret = key): Promise<string> =>
  new SignJWT({ aud: 'engine', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expiresIn)
    .sign(secret);

const capturingLog = (lines: string[]): Log =>
  pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });

const fromNow = (hours: number): number => Math.floor(Date.now() / 1_000) + hours * 3_600;
const lasting = (hours: number, claims: object = {}) => token({ sub: 'u1', ...claims }, fromNow(hours));

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

const openGuarded = (settings: Partial<JwtSettings> = {}, log: Log = silentLog) =>
  openTestIngress({ access: access({ jwtSecret: JWT_SECRET, ...settings }, log), log });

const TOO_LONG = 'The access token is valid for longer than 24 h (exp).';
const OTHER_SERVICE = 'The access token is not for this service (aud).';

it('answers 401 without a token, names a wrong claim, and requires the right user_name (E2)', async () => {
  const ingress = await openGuarded();
  const valid = await token({ sub: 'u1' });
  const values = ['', 'Bearer', 'Bearer ', `Basic ${valid}`, 'Bearer a b', 'XBearer a'];
  for (const headers of [{}, ...values.map((authorization) => ({ authorization }))])
    for (const body of [[], {}, { access_token: '' }, { access_token: valid, user_name: '' }]) {
      const response = await postEcho(ingress, body, headers);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="platapi"');
      expect(await response.json()).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
  expect((await postEcho(ingress, {}, { authorization: `bearer   ${valid} ` })).status).toBe(200);
  for (const [sent, status, detail] of [
    [lasting(1, { aud: undefined }), 401, OTHER_SERVICE],
    [lasting(1, { aud: 'ledger' }), 401, OTHER_SERVICE],
    [lasting(8_760), 401, TOO_LONG],
    [lasting(1, { iat: fromNow(-24) }), 401, TOO_LONG],
    [lasting(25, { iat: fromNow(24) }), 401, TOO_LONG],
    [token({ aud: 'ledger' }, '5m', otherKey), 401, 'The access token is not valid.'],
    [lasting(1, { aud: ['ledger', 'engine'] }), 200, undefined],
    [lasting(1, { iat: fromNow(-23) }), 200, undefined],
  ] as const) {
    const response = await postEcho(ingress, {}, bearer(await sent));
    const body = (await response.json()) as { detail?: string };
    expect([response.status, body.detail]).toEqual([status, detail]);
  }
  const named = await token({ sub: 'u1', preferred_username: 'ana' });
  const codes = { 200: undefined, 401: 'unauthenticated', 403: 'forbidden' };
  for (const [body, status, headers = {}] of [
    [{ access_token: named, user_name: 'ana' }, 200],
    [{ access_token: await token({ sub: 'u1' }), user_name: 'u1' }, 200],
    [{ access_token: named, user_name: 'u1' }, 403],
    [{ access_token: named }, 401],
    [{ access_token: named, user_name: 1 }, 401],
    [{ access_token: 'nonsense', user_name: 'ana' }, 401],
    [{ access_token: 'nonsense', user_name: 'ana' }, 200, bearer(named)],
    [{ user_name: 'eve' }, 403, bearer(named)],
  ] as const) {
    const response = await postEcho(ingress, { ...body, Data: '{}' }, headers);
    const { code } = (await response.json()) as { code?: string };
    expect([body, response.status, code]).toEqual([body, status, codes[status]]);
  }
});

it('responds with 401 to invalid tokens before it reads the body', async () => {
  const requester = echoRequester();
  const guard = access({ jwtSecret: JWT_SECRET, issuer: 'bank' });
  const ingress = await openTestIngress({ access: guard, requester });
  const good = { sub: 'u1', iss: 'bank', aud: 'engine' };
  const [header, payload] = (await token(good)).split('.');
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
  const bad = [
    await token(good, '-1m'),
    await token(good, '5m', otherKey),
    await token({ ...good, iss: 'elsewhere' }),
    await token({ ...good, aud: 'elsewhere' }),
    await token({ iss: 'bank' }),
    ...(await Promise.all(['', 7, ['u1'], { a: 1 }].map((sub) => token({ ...good, sub: sub as string })))),
    await token({ ...good, nbf: fromNow(0) + 600 }),
    await new SignJWT(good).setProtectedHeader({ alg: 'HS256' }).sign(key),
    `${header}.${payload}.`,
    `${unsigned}.${payload}.`,
    'nonsense',
    'x'.repeat(9_000),
    await token({ ...good, more: 'x'.repeat(7_000) }),
  ];
  for (const value of bad) {
    const response = await postEcho(ingress, 'not JSON', bearer(value));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="platapi", error="invalid_token"');
  }
  expect((await postEcho(ingress, {}, bearer(await token(good)))).status).toBe(200);
  expect(requester.requests.length).toBe(1);
});

it('refuses a cached token after its expiry', async () => {
  let nowMs = Date.now();
  const guarded = access({ jwtSecret: JWT_SECRET }, silentLog, { now: () => nowMs });
  const ingress = await openTestIngress({ access: guarded });
  const valid = bearer(await token({ sub: 'u1' }, '30s'));
  for (const _ of [1, 2]) expect((await postEcho(ingress, {}, valid)).status).toBe(200);
  // Its cached verification would be valid for a minute, its expiry is tolerated for 5 s.
  nowMs += 40_000;
  expect((await postEcho(ingress, {}, valid)).status).toBe(401);
});

it('returns results only to their owner, and never takes a user name for a subject', async () => {
  const ingress = await openGuarded();
  const alice = bearer(await token({ sub: 'alice' }));
  const accepted = await postEcho(ingress, {}, { ...alice, prefer: 'respond-async' });
  const url = ingress.url + (accepted.headers.get('location') ?? '');
  expect((await fetch(url)).status).toBe(401);
  for (const [claims, status] of [
    [{ sub: 'alice' }, 202],
    [{ sub: 'alice', preferred_username: 'ana' }, 202],
    [{ sub: 'eve' }, 404],
    [{ preferred_username: 'alice' }, 404],
    [{ sub: 'ana', preferred_username: 'alice' }, 404],
    [{ sub: 'preferred_username=alice' }, 401],
  ] as const) {
    const response = await fetch(url, { headers: bearer(await token(claims)) });
    expect([claims, response.status]).toEqual([claims, status]);
  }
  const named = bearer(await token({ preferred_username: 'alice' }));
  expect((await postEcho(ingress, { user_name: 'alice', Data: {} }, named)).status).toBe(200);
});

it('does not count the bodies of refused requests towards the rate limit of the caller', async () => {
  const options = { rateLimitPerSecond: 4 };
  const ingress = await openTestIngress({ access: access({ jwtSecret: JWT_SECRET }), options });
  const body = JSON.stringify({ access_token: await token({ sub: 'u1' }), user_name: 'u1', Data: '{}' });
  const large = body + ' '.repeat(200_000);
  const send = async (text: string): Promise<number> => (await postEcho(ingress, text)).status;
  expect(await Promise.all([body, body, body, body].map(send))).toEqual([200, 200, 200, 200]);
  const refused = await Promise.all(Array.from({ length: 5 }, () => send(large)));
  expect(new Set(refused)).toEqual(new Set([429]));
  // With the cost of these bodies it would have to wait for four seconds.
  await expect.poll(() => send(body), { timeout: 2_500 }).toBe(200);
});

const readiness = async (url: string) => {
  const response = await fetch(`${url}/health/ready`);
  return [response.status, await response.text()] as const;
};

it('responds with 503 and is not ready until the set can be fetched, once a second, and refuses shared-secret signatures', async () => {
  const issuer = await openIssuer();
  let nowMs = Date.now();
  const lines: string[] = [];
  const guard = access({ jwksUrl: issuer.url }, capturingLog(lines), { now: () => nowMs });
  const ingress = await openTestIngress({ access: guard });
  const signed = await issuer.sign('1');
  for (let call = 0; call < 5; call += 1) {
    const undecided = await postEcho(ingress, {}, bearer(signed));
    expect([undecided.status, undecided.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await undecided.json()).toMatchObject({ code: 'keys-unavailable' });
  }
  const reason = expect.stringContaining('no access token can be checked') as string;
  expect(await readiness(ingress.url)).toEqual([503, reason]);
  expect((await fetch(`${ingress.url}/health/live`)).status).toBe(200);
  expect([issuer.requests(), lines.length]).toEqual([1, 1]);
  issuer.start();
  nowMs += 1_000;
  // Without a token, by the query of its health.
  await expect.poll(async () => (await readiness(ingress.url))[0]).toBe(200);
  // During a rotation, tokens without a key id may be signed with any key.
  for (const right of [signed, await issuer.sign()])
    expect((await postEcho(ingress, {}, bearer(right))).status).toBe(200);
  for (const wrong of [`${signed}x`, await token({ sub: 'u1' })])
    expect((await postEcho(ingress, {}, bearer(wrong))).status).toBe(401);
  for (const kid of ['2', '3', '4'])
    expect((await postEcho(ingress, {}, bearer(await issuer.sign(kid)))).status).toBe(401);
  expect(issuer.requests()).toBe(2);
  expect((await readiness((await openGuarded()).url))[0]).toBe(200);
});

it('reads no more of an answer that is longer than a key set', async () => {
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
    response.once('close', () => (isEnded = true));
    send();
  });
  const guard = access({ jwksUrl: await listenAtEnd(endless) }, capturingLog(lines));
  const ingress = await openTestIngress({ access: guard });
  await expect.poll(() => isEnded).toBe(true);
  expect(sentBytes).toBeLessThan(16 * 1_048_576);
  await expect.poll(() => lines.join('')).toContain('longer than');
  expect((await readiness(ingress.url))[0]).toBe(503);
});

async function listenAtEnd(server: Server): Promise<string> {
  onTestFinished(() => closeServer(server));
  return `${await listen(server, '127.0.0.1', 0)}/keys`;
}

/** Opens an issuer whose key set, with the keys `0` and `1`, is unavailable until `start`. It signs with the second. */
async function openIssuer() {
  const former = await generateKeyPair('RS256');
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  let isUp = false;
  let requests = 0;
  const publicKeys = [former.publicKey, publicKey].map(async (one, kid) => ({
    ...(await exportJWK(one)),
    alg: 'RS256',
    kid: String(kid),
  }));
  const keys = JSON.stringify({ keys: await Promise.all(publicKeys) });
  const issuer = createServer((_request, response) => {
    requests += 1;
    response.writeHead(isUp ? 200 : 500, { 'content-type': 'application/json' }).end(keys);
  });
  return {
    url: await listenAtEnd(issuer),
    requests: () => requests,
    start: () => void (isUp = true),
    sign: (kid?: string) =>
      new SignJWT({ sub: 'u1', aud: 'engine' })
        .setProtectedHeader({ alg: 'RS256', ...(kid === undefined ? {} : { kid }) })
        .setExpirationTime('5m')
        .sign(privateKey),
  };
}

it('an ingress without access control is allowed on loopback only, with a warning', async () => {
  const lines: string[] = [];
  const log = capturingLog(lines);
  const open = (host: string) => createAccess({ ...NO_KEYS, host }, { clock: systemClock, log });
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'gateway.example', '127.evil.example', ''])
    await expect(open(host)).rejects.toThrow(/loopback/);
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
    expect((await open(host)).required).toBe(false);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toContain('access control is off');
});

it('the log contains no token, body or query parameter', async () => {
  const lines: string[] = [];
  const log = capturingLog(lines);
  const requester = createFakeRequester(() => Promise.reject(new Error('a bug')));
  const ingress = await openTestIngress({ access: access({ jwtSecret: JWT_SECRET }, log), log, requester });
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
  for (const secret of [planted, spoiled, planted.split('.')[2] ?? '-', 'planted-'])
    expect(written).not.toContain(secret);
});
