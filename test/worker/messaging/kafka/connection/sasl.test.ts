import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { saslOptions } from '../../../../../shared/messaging/kafka/connection/sasl.ts';

/** A token endpoint that counts what it was asked. */
async function tokenEndpoint(answer: object, status = 200) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(String(request.headers.authorization));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { requests, tokenUrl: `http://127.0.0.1:${port}/token` };
}

function tokenProvider(tokenUrl: string): () => Promise<{ value: string }> {
  const options = saslOptions({ mechanism: 'oauthbearer', username: 'app', password: 'se:cret', tokenUrl });
  if (options.mechanism !== 'oauthbearer') throw new Error('not the mechanism that was asked for');
  return options.oauthBearerProvider;
}

describe('login to Kafka', () => {
  test('scram and plain pass the credentials on', () => {
    expect(saslOptions({ mechanism: 'scram-sha-512', username: 'u', password: 'p' })).toEqual({
      mechanism: 'scram-sha-512',
      username: 'u',
      password: 'p',
    });
  });

  test('oauthbearer fetches one token for many connections and keeps it until shortly before its end', async () => {
    const { requests, tokenUrl } = await tokenEndpoint({ access_token: 'abc', expires_in: 600 });
    const provide = tokenProvider(tokenUrl);
    expect(await Promise.all([provide(), provide()])).toEqual([{ value: 'abc' }, { value: 'abc' }]);
    await provide();
    expect(requests).toEqual([`Basic ${Buffer.from('app:se%3Acret').toString('base64')}`]);
  });

  test('a token that ends at once is fetched again for each connection', async () => {
    const { requests, tokenUrl } = await tokenEndpoint({ access_token: 'abc', expires_in: 1 });
    const provide = tokenProvider(tokenUrl);
    await provide();
    await provide();
    expect(requests).toHaveLength(2);
  });

  test('a refusal of the token endpoint names neither user nor secret', async () => {
    const { tokenUrl } = await tokenEndpoint({}, 401);
    const error = await tokenProvider(tokenUrl)().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'broker-refused', message: expect.stringContaining('401') });
    expect(String(error)).not.toMatch(/app|cret/);
  });
});
