import { describe, expect, test } from 'vitest';
import { PublishCall } from '../../../../../../shared/messaging/kafka/common/publishing/publish-call.ts';
import { MessagingError } from '../../../../../../shared/platform/errors.ts';

const notSent = () => new MessagingError('not-sent', 'invalid', { canRetry: false });
const resultOf = (call: PublishCall) => call.promise.catch((error: unknown) => error);

describe('PublishCall', () => {
  test('resolves when all of its records are stored', async () => {
    const call = new PublishCall('p', 2, 0);
    call.recordDone();
    expect(call.isSettled).toBe(false);
    call.recordDone();
    expect(call.isSettled).toBe(true);
    expect(await resultOf(call)).toBe(undefined);
  });

  test('rejects with not-sent or send-unknown and the reason if it is abandoned', async () => {
    const unsent = new PublishCall('p', 1, 0);
    unsent.lastError = 'a cause';
    unsent.giveUp('the deadline passed');
    expect(await resultOf(unsent)).toMatchObject({
      code: 'not-sent',
      message: 'publisher p: the deadline passed; nothing was stored',
      canRetry: true,
      cause: 'a cause',
    });
    const unknown = new PublishCall('p', 1, 0);
    unknown.maybeStored = true;
    unknown.giveUp('it was stopped');
    expect(await resultOf(unknown)).toMatchObject({
      code: 'send-unknown',
      message: 'publisher p: it was stopped; messages may have been stored',
      canRetry: true,
    });
  });

  test('rejects with the error of an invalid record, or with send-unknown if others were stored', async () => {
    const alone = new PublishCall('p', 1, 0);
    alone.recordDone(notSent());
    expect(await resultOf(alone)).toMatchObject({ code: 'not-sent', message: 'invalid', canRetry: false });
    const withStored = new PublishCall('p', 2, 0);
    withStored.recordDone(notSent());
    withStored.recordDone();
    expect(await resultOf(withStored)).toMatchObject({
      code: 'send-unknown',
      message: 'invalid; messages of the call may have been stored',
      canRetry: false,
    });
  });

  test('settles only once', async () => {
    const call = new PublishCall('p', 1, 0);
    call.recordDone();
    call.giveUp('the deadline passed');
    expect(await resultOf(call)).toBe(undefined);
  });
});
