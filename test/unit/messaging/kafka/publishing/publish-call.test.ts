import { describe, expect, test } from 'vitest';
import { PublishCall } from '../../../../../shared/messaging/kafka/publishing/publish-call.ts';
import { MessagingError } from '../../../../../shared/platform/errors.ts';

const notSent = () => new MessagingError('not-sent', 'invalid', { canRetry: false });
const ended = (call: PublishCall) => call.promise.catch((error: unknown) => error);

describe('a call of publish()', () => {
  test('resolves when all of its records are on the log, not before', async () => {
    const call = new PublishCall('p', 2, 0);
    call.recordDone();
    expect(call.isSettled).toBe(false);
    call.recordDone();
    expect(call.isSettled).toBe(true);
    expect(await ended(call)).toBe(undefined);
  });

  test('that was given up says whether anything may be stored, and why', async () => {
    const unsent = new PublishCall('p', 1, 0);
    unsent.lastError = 'a cause';
    unsent.giveUp('the deadline passed');
    expect(await ended(unsent)).toMatchObject({
      code: 'not-sent',
      message: 'publisher p: the deadline passed; nothing was stored',
      canRetry: true,
      cause: 'a cause',
    });
    const doubtful = new PublishCall('p', 1, 0);
    doubtful.maybeStored = true;
    doubtful.giveUp('it was stopped');
    expect(await ended(doubtful)).toMatchObject({
      code: 'send-unknown',
      message: 'publisher p: it was stopped; messages may have been stored',
      canRetry: true,
    });
  });

  test('with an invalid record rejects with it, and in doubt when others of it were stored', async () => {
    const alone = new PublishCall('p', 1, 0);
    alone.recordDone(notSent());
    expect(await ended(alone)).toMatchObject({ code: 'not-sent', message: 'invalid', canRetry: false });
    const beside = new PublishCall('p', 2, 0);
    beside.recordDone(notSent());
    beside.recordDone();
    expect(await ended(beside)).toMatchObject({
      code: 'send-unknown',
      message: 'invalid; messages of the call may have been stored',
      canRetry: false,
    });
  });

  test('is settled once', async () => {
    const call = new PublishCall('p', 1, 0);
    call.recordDone();
    call.giveUp('the deadline passed');
    expect(await ended(call)).toBe(undefined);
  });
});
