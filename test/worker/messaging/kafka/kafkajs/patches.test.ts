import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { installCodecs } from '../../../../../shared/messaging/kafka/kafkajs/compression.ts';
import {
  growEncodersAsNeeded,
  stopIdlePolling,
} from '../../../../../shared/messaging/kafka/kafkajs/patches.ts';

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

describe('codecs', () => {
  test('compress and decompress gzip, and reject a batch larger than 128 MiB', async () => {
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
  test('set a timer only while a request is queued', () => {
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
  test('grow to the needed size, at least by half, and write the same bytes as kafkajs', () => {
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
