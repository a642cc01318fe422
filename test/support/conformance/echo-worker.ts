import { setTimeout as sleep } from 'node:timers/promises';
import { Consumer } from '../../../shared/messaging/consumer/consumer.ts';
import { done } from '../../../shared/messaging/outcome.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { createRequestHandling } from '../../../shared/messaging/handler/request-handling.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createFakeCodec } from '../fakes/codec.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

/** Plain data, so that another process can read them. */
export interface EchoWorkerOptions {
  readonly clientId: string;
  readonly groupId: string;
  readonly requests: string;
  readonly replies: string;
  readonly deadLetters: string;
  readonly sessionTimeoutMs: number;
  readonly commitIntervalMs?: number;
}

export interface EchoRequest {
  readonly id: string;
  readonly workMs?: number;
  readonly fail?: boolean;
}

export async function startEchoWorker(broker: Broker, options: EchoWorkerOptions) {
  const { clientId, groupId, requests, replies, deadLetters, sessionTimeoutMs } = options;
  const publisher = broker.createPublisher({ clientId: `${clientId}-publisher` });
  await publisher.start();
  const started: string[] = [];
  const { process } = createRequestHandling({
    handlers: {
      Echo: async (payload) => {
        const request = payload as EchoRequest;
        started.push(request.id);
        if (request.fail === true) throw new Error('the handler failed');
        if (request.workMs !== undefined) await sleep(request.workMs);
        return done({ type: 'Echoed', payload: { id: request.id } });
      },
    },
    codec: createFakeCodec(),
    replies: publisher,
    foreignReplies: publisher,
    deadLetters: publisher,
    deadLetterTopic: deadLetters,
    groupId,
    admin: broker.admin,
    ownReplyTopics: [replies],
    mayReplyTo: (topic) => topic !== requests && topic !== deadLetters,
    ...systemPorts,
    log: silentLog,
  });
  const consumer = new Consumer({
    ...systemPorts,
    createSource: () => broker.createGroupSource({ groupId, clientId, topics: [requests], sessionTimeoutMs }),
    process,
    log: silentLog,
    commitIntervalMs: options.commitIntervalMs ?? 50,
  });
  await consumer.start();
  return {
    consumer,
    started,
    stop: async (timeoutMs = 5_000) => {
      await consumer.stop(timeoutMs);
      await publisher.stop(timeoutMs);
    },
  };
}
