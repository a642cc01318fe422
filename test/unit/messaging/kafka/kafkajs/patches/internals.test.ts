import { describe, expect, test } from 'vitest';
import {
  replaceExport,
  replaceFunction,
} from '../../../../../../shared/messaging/kafka/kafkajs/patches/internals.ts';

describe('replacement of kafkajs functions', () => {
  test('passes the original with its object and arguments, and replaces it only once', () => {
    const owner = {
      factor: 3,
      times(this: { factor: number }, count: number): number {
        return this.factor * count;
      },
    };
    for (let call = 0; call < 2; call += 1) {
      replaceFunction(owner, 'times', function addOne(times, count) {
        return times.call(this, count) + 1;
      });
    }
    expect(owner.times(5)).toBe(16);
  });

  test('throws if the function does not exist', () => {
    const owner = {} as { fetch: () => number };
    expect(() => replaceFunction(owner, 'fetch', () => 1)).toThrow('kafkajs has no function fetch');
  });

  test('replaces an export once, and unloads the modules that refer to the original', async () => {
    const { createRequire } = await import('node:module');
    const require = createRequire(import.meta.url);
    const user = require.resolve('kafkajs/src/protocol/message/v0/decoder');
    const load = () => require('kafkajs/src/protocol/message/compression') as { none?: number };
    require(user);
    const original = load();
    for (let call = 0; call < 2; call += 1) {
      replaceExport(
        'protocol/message/compression',
        /message[\\/]v0[\\/]decoder\.js$/,
        (exported: object) => ({
          ...exported,
          none: call,
        }),
      );
    }
    try {
      expect(load().none).toBe(0);
      expect(require.cache[user]).toBeUndefined();
    } finally {
      const loaded = require.cache[require.resolve('kafkajs/src/protocol/message/compression')];
      if (loaded !== undefined) loaded.exports = original;
    }
  });
});
