import type { CalculationThreads } from '../../runtime/calculation-threads.ts';
import type { Codec, EncodedMessage } from '../../../shared/messaging/codec.ts';
import type { MaybePromise } from '../../../shared/messaging/sync-or-async.ts';
import { readReply } from '../../../shared/messaging/requester/read-reply.ts';
import type { Reply } from '../../../shared/messaging/requester/requester.ts';
import { createProblem } from '../../../shared/platform/problem.ts';

/** Reading and rendering such a reply takes some 20 ms, in bytes of its message. */
const LARGE_REPLY_BYTES = 262_144;
const OVERLOADED = createProblem('overloaded', {
  detail: 'Too many large replies are waiting; try again in a moment.',
});

/** Reads replies: small ones at once, large ones beside the event loop, where their answers are rendered too (E6). */
export function createReplyReader(
  codec: Codec,
  threads: CalculationThreads | undefined,
): (message: EncodedMessage) => MaybePromise<Reply> {
  return (message) => {
    const isLarge = (message.value?.length ?? 0) > LARGE_REPLY_BYTES;
    return isLarge && threads !== undefined ? renderBeside(threads, message) : readReply(codec, message);
  };
}

async function renderBeside(threads: CalculationThreads, message: EncodedMessage): Promise<Reply> {
  return (await threads.render(message)) ?? { kind: 'problem', problem: OVERLOADED };
}
