import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../shared/platform/http-server.ts';
import { createTokenProvider } from '../../../../shared/messaging/kafka/kafka-settings.ts';

async function tokenEndpoint(answer: object, status = 200) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(String(request.headers.authorization));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  onTestFinished(() => void server.close());
  return { requests, tokenUrl: `${await listen(server, '127.0.0.1', 0)}/token` };
}

function tokenProvider(tokenUrl: string): () => Promise<string> {
  return createTokenProvider({ mechanism: 'oauthbearer', username: 'app', password: 'se:cret', tokenUrl });
}

test('createTokenProvider() caches a token for many connections, unless it expires immediately', async () => {
  const { requests, tokenUrl } = await tokenEndpoint({ access_token: 'abc', expires_in: 600 });
  const provide = tokenProvider(tokenUrl);
  expect(await Promise.all([provide(), provide()])).toEqual(['abc', 'abc']);
  await provide();
  expect(requests).toEqual([`Basic ${Buffer.from('app:se%3Acret').toString('base64')}`]);
  const brief = await tokenEndpoint({ access_token: 'abc', expires_in: 1 });
  const provideBrief = tokenProvider(brief.tokenUrl);
  for (let call = 0; call < 2; call += 1) await provideBrief();
  expect(brief.requests).toHaveLength(2);
});

test('createTokenProvider() names neither the user nor the secret if the token endpoint rejects the request', async () => {
  const { tokenUrl } = await tokenEndpoint({}, 401);
  const error = await tokenProvider(tokenUrl)().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'broker-refused', message: expect.stringContaining('401') });
  expect(String(error)).not.toMatch(/app|cret/);
});
