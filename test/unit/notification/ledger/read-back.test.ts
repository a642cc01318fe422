import { describe, expect, it } from 'vitest';
import type { LogMessage, OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { MessagingError } from '../../../../shared/platform/errors.ts';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import { ReadBack } from '../../../../workers/notification/ledger/read-back.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';
import { fastTimers } from '../../../support/fakes/virtual-time.ts';
import { settleMicrotasks } from '../../../support/fakes/work.ts';

const record = (key: string): OutgoingMessage => ({ topic: 'states', key, value: Buffer.from(key) });
const lost = new MessagingError('not-sent', 'away', { canRetry: true });
const echoOf = (message: OutgoingMessage | undefined): LogMessage =>
  fakeMessage(0, { headers: message?.headers ?? {} });

describe('read-back', () => {
  it('resolves when the record has been read, and not earlier', async () => {
    const publisher = new FakePublisher();
    const readBack = new ReadBack(publisher, 'self', systemTimers);
    let isResolved = false;
    const written = readBack.write(record('a')).then(() => (isResolved = true));
    await settleMicrotasks();
    readBack.seen(fakeMessage(0));
    readBack.seen(echoOf({ ...record('a'), headers: { 'plat-write': 'another/1' } }));
    await settleMicrotasks();
    expect(isResolved).toBe(false);
    readBack.seen(echoOf(publisher.sent[0]));
    await written;
    expect(isResolved).toBe(true);
  });

  it('resolves if the record is read before the broker has answered', async () => {
    const publisher = new FakePublisher();
    const readBack = new ReadBack(publisher, 'self', systemTimers);
    publisher.onPublish = async ([message]) => readBack.seen(echoOf(message));
    await expect(readBack.write(record('a'))).resolves.toBeUndefined();
  });

  it('rejects as retryable if the record is not read in time or cannot be written', async () => {
    const publisher = new FakePublisher();
    await expect(new ReadBack(publisher, 'self', fastTimers(500)).write(record('a'))).rejects.toMatchObject({
      code: 'read-back-late',
      canRetry: true,
    });
    publisher.onPublish = () => Promise.reject(lost);
    await expect(new ReadBack(publisher, 'self', fastTimers(500)).write(record('a'))).rejects.toBe(lost);
  });
});
