import { createRequire } from 'node:module';
import { AsyncLocalStorage } from 'node:async_hooks';

const require = createRequire(import.meta.url);
const REPLACEMENTS = new WeakSet<object>();

/** An internal module of kafkajs, for which there are no types. `path` is relative to `kafkajs/src`. */
export function kafkajsModule(path: string): unknown {
  return require(`kafkajs/src/${path}`);
}

/** Replaces a method of the exported class in the whole process, once. `original` calls the replaced method. */
export function replaceMethod<Result>(
  path: string,
  name: string,
  replacement: (self: never, original: () => Result) => Result,
): void {
  const { prototype } = kafkajsModule(path) as { prototype: Record<string, (...args: unknown[]) => Result> };
  const original = prototype[name];
  if (original === undefined)
    throw new Error(`kafkajs has no ${name}: its version differs from package.json`);
  if (REPLACEMENTS.has(original)) return;
  const replaced = function replaced(this: unknown, ...args: unknown[]) {
    return replacement(this as never, () => original.apply(this, args));
  };
  REPLACEMENTS.add(replaced);
  prototype[name] = replaced;
}

/** Replaces the export of a module, once. Files that refer to it must match `users`: they are loaded again. */
export function replaceExport<Exported extends object>(
  path: string,
  users: RegExp,
  replace: (original: Exported) => Exported,
): void {
  const original = kafkajsModule(path) as Exported;
  const loaded = require.cache[require.resolve(`kafkajs/src/${path}`)];
  if (loaded === undefined) throw new Error(`kafkajs/src/${path} cannot be replaced`);
  if (REPLACEMENTS.has(original)) return;
  const replacement = replace(original);
  REPLACEMENTS.add(replacement);
  loaded.exports = replacement;
  for (const file of Object.keys(require.cache)) if (users.test(file)) delete require.cache[file];
}

export interface PartitionBytes {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly lastStableOffset: string;
  readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[];
  readonly messages: Buffer;
}

interface BytesAnswer {
  readonly responses: readonly { topicName: string; partitions: readonly Omit<PartitionBytes, 'topic'>[] }[];
}

interface Decoder {
  readInt32(): number;
  canReadBytes(count: number): boolean;
  readBytes(count: number): Buffer;
}

type DecodeMessages = (decoder: Decoder) => unknown;

interface ResponseModule {
  readonly parse: (answer: object) => Promise<object>;
}

const isReadingBytes = new AsyncLocalStorage<true>();
const USERS = /kafkajs\/src\/protocol\/requests\/fetch\/v[1-9]\d*\/response\.js$/;

/** Enables fetchBytes(): kafkajs drops empty batches, and fails if a batch is unreadable or a partition has errors. */
export function readFetchesAsBytes(): void {
  replaceExport<DecodeMessages>(
    'protocol/requests/fetch/v4/decodeMessages',
    USERS,
    (original) => (decoder) => {
      if (isReadingBytes.getStore() !== true) return original(decoder);
      const size = decoder.readInt32();
      return size <= 0 || !decoder.canReadBytes(size) ? Buffer.alloc(0) : decoder.readBytes(size);
    },
  );
  replaceExport<ResponseModule>('protocol/requests/fetch/v0/response', USERS, (original) => ({
    ...original,
    parse: (answer) =>
      isReadingBytes.getStore() === true ? Promise.resolve(answer) : original.parse(answer),
  }));
}

/** Calls `fetch`, a request of kafkajs, and returns its record batches undecoded. See {@link readFetchesAsBytes}. */
export async function fetchBytes(fetch: () => Promise<BytesAnswer>): Promise<readonly PartitionBytes[]> {
  const { responses } = await isReadingBytes.run(true, fetch);
  return responses.flatMap(({ topicName: topic, partitions }) =>
    partitions.map((one) => ({ ...one, topic })),
  );
}

export function brokerErrorName(code: number): string | undefined {
  if (code === 0) return undefined;
  const { createErrorFromCode } = kafkajsModule('protocol/error') as {
    createErrorFromCode: (code: number) => { readonly type: string };
  };
  return createErrorFromCode(code).type;
}
