import { setImmediate as nextTurn } from 'node:timers/promises';
import { installCodecs } from './compression.ts';
import { guardConnections } from './broken-responses.ts';
import { reportFetchAnswers } from './unreadable-batches.ts';
import { checkFetchResponses } from './fetch-checksums.ts';
import { kafkajsModule, replaceFunction } from './internals.ts';
import { reportProduceAnswers } from './produce-answers.ts';

/**
 * Corrects what kafkajs gets wrong, for the whole process. Idempotent. Throws on a kafkajs that is not of the version in
 * package.json.
 */
export function patchKafkajs(): void {
  installCodecs();
  stopIdlePolling();
  growEncodersAsNeeded();
  reportProduceAnswers();
  reportFetchAnswers();
  guardConnections();
  checkFetchResponses();
  endStoppedFetches();
}

interface RequestQueue {
  readonly pending: readonly unknown[];
}

interface RequestQueueClass {
  readonly prototype: { scheduleCheckPendingRequests: (this: RequestQueue) => void };
}

/**
 * kafkajs sets a timer after each response to look for waiting requests, and each such timer sets the next one: from its
 * first response on, every connection wakes the process a thousand times a second (and warns of a negative time-out,
 * tulios/kafkajs#1751). With three idle clients that is 4 % of a core. Requests wait only behind a limit of ours or of the
 * broker, so the timer is needed only while one waits.
 */
export function stopIdlePolling(): void {
  const { prototype } = kafkajsModule('network/requestQueue') as RequestQueueClass;
  replaceFunction(prototype, 'scheduleCheckPendingRequests', function scheduleWhilePending(schedule) {
    if (this.pending.length > 0) schedule.call(this);
  });
}

interface Encoder {
  buf: Buffer;
  readonly offset: number;
}

interface EncoderClass {
  readonly prototype: { ensureAvailable: (this: Encoder, length: number) => void };
}

/** Room for the few fields that follow a large value, so that they do not make the buffer grow again. */
const SLACK_BYTES = 512;

/**
 * kafkajs writes a record through some twenty nested buffers, and lets each grow to the next power of two of zeros: 2 MiB
 * are cleared for a reply of 370 kB, and this memory makes the garbage collector run over the whole heap several times as
 * often. Here a buffer grows to the needed size, at least by half, and is not cleared: only what was written is ever read.
 */
export function growEncodersAsNeeded(): void {
  const { prototype } = kafkajsModule('protocol/encoder') as EncoderClass;
  prototype.ensureAvailable = growWhenFull;
}

function growWhenFull(this: Encoder, length: number): void {
  const needed = this.offset + length;
  const available = this.buf.length;
  if (needed <= available) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed + SLACK_BYTES, available + (available >>> 1)));
  this.buf.copy(grown, 0, 0, this.offset);
  this.buf = grown;
}

interface Runner {
  readonly running: boolean;
}

interface RunnerClass {
  readonly prototype: { fetch: (this: Runner, nodeId: string) => Promise<unknown> };
}

/**
 * The fetch manager of kafkajs may start new fetchers after the consumer was stopped: when the set of brokers has changed,
 * it waits for the fetcher of a silent broker and does not check again whether it was stopped meanwhile. A fetch of a
 * stopped consumer returns an empty result at once, and the fetcher repeats it forever without a turn of the event loop: no
 * timer, no signal, no health check runs. Here such a fetch fails, which ends the fetcher and with it the manager. Each fetch
 * also begins with a turn of the event loop, so that no loop of fetches can block it, whatever they return. The turn comes
 * before the positions are read: after the response it would let an old response into a new generation (FetchGate).
 */
function endStoppedFetches(): void {
  const { prototype } = kafkajsModule('consumer/runner') as RunnerClass;
  replaceFunction(prototype, 'fetch', async function fetchWhileRunning(fetch, nodeId) {
    if (!this.running) throw new Error('the consumer is stopped');
    await nextTurn();
    return fetch.call(this, nodeId);
  });
}
