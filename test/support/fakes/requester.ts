import type { Reply } from '../../../shared/messaging/outcome.ts';
import type { Requester, OutgoingRequest } from '../../../shared/messaging/requester/requester.ts';

export interface FakeRequester extends Requester {
  readonly requests: OutgoingRequest[];
  /** Requests whose replies go to another topic, each with that topic. */
  readonly fired: { request: OutgoingRequest; replyTopic: string }[];
}

const NO_FAILURES = { timedOut: 0, refused: 0, unknownReplies: 0 };

/** A requester without a broker that replies with the given function; start() resolves with `ready`. */
export function createFakeRequester(
  answer: (request: OutgoingRequest) => Reply | Promise<Reply>,
  ready: Promise<void> = Promise.resolve(),
): FakeRequester {
  const requests: OutgoingRequest[] = [];
  const fired: FakeRequester['fired'] = [];
  let isReady = false;
  let pending = 0;
  return {
    requests,
    fired,
    fire: async (request, replyTopic) => {
      fired.push({ request, replyTopic });
      return { kind: 'sent', correlationId: request.correlationId ?? '' };
    },
    start: async () => {
      await ready;
      isReady = true;
    },
    isReady: () => isReady,
    canSend: () => true,
    request: async (request) => {
      requests.push(request);
      pending++;
      try {
        return await answer(request);
      } finally {
        pending--;
      }
    },
    pending: () => pending,
    stats: () => ({ ...NO_FAILURES, sent: requests.length, replied: requests.length - pending, pending }),
    stop: async () => {
      isReady = false;
    },
  };
}
