import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { installCodecs } from '../../../../../shared/messaging/kafka/kafkajs/compression.ts';
import { growEncodersAsNeeded } from '../../../../../shared/messaging/kafka/kafkajs/patches.ts';
import { stopIdlePolling } from '../../../../../shared/messaging/kafka/connection/idle-polling.ts';
import { saslOptions } from '../../../../../shared/messaging/kafka/connection/sasl.ts';
import { StallWatch } from '../../../../../shared/messaging/kafka/consuming/stall-watch.ts';

const MIB = 1_024 * 1_024;

interface Codec {
  compress(encoder: { buffer: Buffer }): Promise<Buffer>;
  decompress(buffer: Buffer): Promise<Buffer>;
}

interface QueueClass {
  new (options: object): { checkPendingRequests(): void };
}

interface Encoder {
  readonly buf: Buffer;
  readonly buffer: Buffer;
  writeBytes(bytes: Buffer): Encoder;
  writeString(text: string): Encoder;
}

interface EncoderClass {
  new (): Encoder;
  readonly prototype: { ensureAvailable: (length: number) => void };
}

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

describe('codecs', () => {
  test('gzip round trip, and a batch that would grow beyond 128 MiB is refused instead of taking the memory', async () => {
    installCodecs();
    const make = kafkajs.CompressionCodecs[kafkajs.CompressionTypes.GZIP] as () => Codec;
    const codec = make();
    const text = Buffer.from('row '.repeat(1_000));
    expect((await codec.decompress(await codec.compress({ buffer: text }))).equals(text)).toBe(true);
    const large = Buffer.from(Array.from({ length: MIB }, (_, index) => (index * index) % 251));
    expect((await codec.decompress(await codec.compress({ buffer: large }))).equals(large)).toBe(true);
    const bomb = gzipSync(Buffer.alloc(129 * MIB));
    await expect(codec.decompress(bomb)).rejects.toMatchObject({
      code: 'batch-unreadable',
      cause: { code: 'ERR_BUFFER_TOO_LARGE' },
    });
  });
});

describe('idle connections', () => {
  test('kafkajs sets no timer when no request waits, and still does when one waits', () => {
    stopIdlePolling();
    const require = createRequire(import.meta.url);
    const RequestQueue = require('kafkajs/src/network/requestQueue') as QueueClass;
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const logger = { debug: () => undefined };
    const queue = new RequestQueue({ logger, requestTimeout: 1_000, maxInFlightRequests: 0 });
    queue.checkPendingRequests();
    expect(vi.getTimerCount()).toBe(0);
    Object.assign(queue, { pending: [{}] });
    queue.checkPendingRequests();
    expect(vi.getTimerCount()).toBe(1);
  });
});

describe('encoders', () => {
  test('grow to what is needed, at least by half, and write the very bytes that kafkajs writes by itself', () => {
    const require = createRequire(import.meta.url);
    const Encoder = require('kafkajs/src/protocol/encoder') as EncoderClass;
    const parts = [
      Buffer.alloc(300, 1),
      Buffer.alloc(400_000, 2),
      Buffer.alloc(3, 3),
      Buffer.alloc(70_000, 4),
    ];
    const write = () => {
      const encoder = parts.reduce((written, part) => written.writeBytes(part), new Encoder());
      return { bytes: encoder.writeString('năm').buffer, room: encoder.buf.length };
    };
    const original = Encoder.prototype.ensureAvailable;
    const plain = write();
    growEncodersAsNeeded();
    growEncodersAsNeeded();
    const grown = write();
    Encoder.prototype.ensureAvailable = original;
    expect(grown.bytes.equals(plain.bytes)).toBe(true);
    expect(plain.room).toBe(524_288);
    expect(grown.room).toBe(Math.floor((400_000 + 300 + 8 + 512) * 1.5));
  });
});

describe('stall watch', () => {
  test('speaks once after the limit (or up to 5 s earlier) without a sign of life, and counts anew with each', () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const onStall = vi.fn<() => void>();
    const watch = new StallWatch(20_000, onStall);
    watch.start();
    vi.advanceTimersByTime(19_000);
    watch.alive();
    vi.advanceTimersByTime(15_000);
    expect(onStall).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(onStall).toHaveBeenCalledOnce();
  });
});
