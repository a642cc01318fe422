import { describe, expect, it } from 'vitest';
import {
  createAuditMessage,
  DeadLetterStates,
  readAuditRecord,
  type AuditStep,
} from '../../../shared/dead-letters/audit.ts';
import type { DeadLetterLog } from '../../../shared/dead-letters/dead-letter-log.ts';
import {
  discardDeadLetters,
  sendDeadLetters,
  type DeadLetterAction,
} from '../../../shared/dead-letters/act-on-dead-letters.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { deadLetter, deadLetterMessage } from '../../support/worlds/dead-letters.ts';
import { callContext } from '../../support/worlds/dead-letters-world.ts';

const REDRIVE: DeadLetterAction = {
  action: 'redrive',
  options: { dryRun: false, again: false, force: false, acceptDuplicates: false },
};
const AUDIT_MESSAGE = { topic: 'a', partition: 0, offset: 0, key: null, headers: {}, timestampMs: 0 };

/** A log with these messages; `onPublish` may make a publish fail. */
function fakeLog(
  messages: readonly LogMessage[],
  onPublish: (message: OutgoingMessage) => void = () => undefined,
) {
  const published: OutgoingMessage[] = [];
  const log: DeadLetterLog = {
    ranges: (topics) =>
      Promise.resolve(topics.map((topic) => ({ topic, partition: 4, from: 0, to: 10_000 }))),
    read: async (ranges, onMessage) => {
      for (const message of messages) {
        const isIn = ranges.some(
          ({ topic, from, to }) => message.topic === topic && message.offset >= from && message.offset < to,
        );
        if (isIn && (await onMessage(message)) === 'stop') return;
      }
    },
    publish: async ([message]) => {
      if (message === undefined) return;
      onPublish(message);
      published.push(message);
    },
    close: () => Promise.resolve(),
  };
  const reported = () =>
    published.map(({ topic, value }) =>
      topic === TOPIC.deadLetterAudit
        ? (JSON.parse(String(value)) as { stage: string; result?: string }).stage
        : topic,
    );
  return { log, published, reported };
}

const failOn = (stage: string, code: string) => (message: OutgoingMessage) => {
  const isIt =
    stage === message.topic ||
    (message.topic === TOPIC.deadLetterAudit && String(message.value).includes(`"stage":"${stage}"`));
  if (isIt) throw new MessagingError(code, code, { canRetry: code !== 'message-too-large' });
};

const LETTERS = [17, 18].map((offset) => deadLetterMessage({}, { offset }));
const CHOSEN = [17, 18].map((offset) =>
  deadLetter({}, { offset, id: `${TOPIC.notificationDeadLetters}/4/${offset}` }),
);

describe('sendDeadLetters', () => {
  it('writes an audit record before and after each letter, without payload or address', async () => {
    const { log, reported, published } = fakeLog(LETTERS);
    const results = await sendDeadLetters(callContext(log), CHOSEN, new DeadLetterStates(), REDRIVE);
    expect(results.map(({ result }) => result)).toEqual(['redriven', 'redriven']);
    expect(reported()).toEqual(['begun', TOPIC.smsCommands, 'done', 'begun', TOPIC.smsCommands, 'done']);
    const audit = published.filter(({ topic }) => topic === TOPIC.deadLetterAudit);
    for (const { value, key } of audit) {
      expect(String(value)).not.toMatch(/40722|hello|abab/);
      expect(key).toMatch(/\/4\/1[78]$/);
    }
  });

  it('stops sending if the audit cannot be written', async () => {
    const { log, reported } = fakeLog(LETTERS, failOn('begun', 'not-sent'));
    const results = await sendDeadLetters(callContext(log), CHOSEN, new DeadLetterStates(), REDRIVE);
    expect(results.map(({ result }) => result)).toEqual(['failed', 'failed']);
    expect(reported()).toEqual([]);
  });

  it('leaves the audit state at `begun` if the copy may have been written', async () => {
    const { log, reported } = fakeLog(LETTERS, failOn(TOPIC.smsCommands, 'send-unknown'));
    const [first] = await sendDeadLetters(callContext(log), CHOSEN, new DeadLetterStates(), REDRIVE);
    expect(first).toMatchObject({ result: 'failed', why: expect.stringContaining('is safe') as string });
    expect(reported()).toEqual(['begun']);
  });

  it('records a failure if nothing was sent, and continues if only this copy was refused', async () => {
    const { log, reported } = fakeLog(LETTERS, failOn(TOPIC.smsCommands, 'message-too-large'));
    await sendDeadLetters(callContext(log), CHOSEN, new DeadLetterStates(), REDRIVE);
    expect(reported()).toEqual(['begun', 'failed', 'begun', 'failed']);
  });

  it('reports a copy that was sent without its audit record', async () => {
    const { log } = fakeLog(LETTERS, failOn('done', 'not-sent'));
    const [first] = await sendDeadLetters(callContext(log), CHOSEN, new DeadLetterStates(), REDRIVE);
    expect(first).toMatchObject({ result: 'failed', why: expect.stringContaining('it was sent') as string });
  });

  it('does not start another letter after an interruption', async () => {
    const interruption = new AbortController();
    const { log, reported } = fakeLog(LETTERS, ({ topic }) => {
      if (topic === TOPIC.smsCommands) interruption.abort();
    });
    const world = callContext(log, { signal: interruption.signal });
    const results = await sendDeadLetters(world, CHOSEN, new DeadLetterStates(), REDRIVE);
    expect(results.map(({ result }) => result)).toEqual(['redriven', 'failed']);
    expect(reported()).toEqual(['begun', TOPIC.smsCommands, 'done']);
  });

  it('reads an omitted value from the original topic as long as the message is retained', async () => {
    const letter = deadLetterMessage({}, { value: null });
    const original = deadLetterMessage(
      {},
      {
        topic: TOPIC.smsCommands,
        offset: 912,
        value: Buffer.from('{"a":1}'),
        timestampMs: 1_777_600_000_000,
      },
    );
    const chosen = CHOSEN.slice(0, 1);
    const whole = fakeLog([letter, original]);
    expect(
      await sendDeadLetters(callContext(whole.log), chosen, new DeadLetterStates(), REDRIVE),
    ).toMatchObject([{ result: 'redriven' }]);
    expect(whole.published[1]?.value).toEqual(original.value);
    const { log, reported } = fakeLog([letter]);
    expect(await sendDeadLetters(callContext(log), chosen, new DeadLetterStates(), REDRIVE)).toMatchObject([
      { result: 'refused' },
    ]);
    expect(reported()).toEqual([]);
  });

  it.each([
    ['a copy that failed on a retry tier', 'plat.notification.retry.30s.v1', 1_777_600_000_000],
    ['a record that another one has replaced', TOPIC.smsCommands, 1_777_599_999_999],
  ])('never sends the value of another record for %s', async (_, topic, timestampMs) => {
    const headers = {
      [HEADER.deadLetterTopic]: topic,
      [HEADER.retryTopic]: TOPIC.smsCommands,
      [HEADER.retryPartition]: '4',
    };
    const letter = deadLetterMessage(headers, { value: null });
    const chosen = [deadLetter(headers, { id: `${TOPIC.notificationDeadLetters}/4/17` })];
    const ofAnother = deadLetterMessage({}, { topic: TOPIC.smsCommands, offset: 912, timestampMs });
    const { log, reported } = fakeLog([letter, ofAnother]);
    expect(await sendDeadLetters(callContext(log), chosen, new DeadLetterStates(), REDRIVE)).toMatchObject([
      { result: 'refused' },
    ]);
    expect(reported()).toEqual([]);
  });
});

it('reports a discard as failed when the audit cannot be written', async () => {
  const { log } = fakeLog([], failOn('done', 'not-sent'));
  const results = await discardDeadLetters(callContext(log), CHOSEN, false);
  expect(results.map(({ result }) => result)).toEqual(['failed', 'failed']);
});

const redrive = (stage: AuditStep['stage']): AuditStep => ({ action: 'redrive', stage });
const edit = (stage: AuditStep['stage']): AuditStep => ({ action: 'edit', stage });

describe('the status of a letter', () => {
  const letter = deadLetter();
  const context = callContext(fakeLog([]).log);
  const after = (...steps: readonly AuditStep[]) => {
    const states = new DeadLetterStates();
    for (const step of steps) {
      const { value } = createAuditMessage(context, letter, step);
      const read = readAuditRecord({ ...AUDIT_MESSAGE, value });
      if (read === undefined) throw new Error('the record cannot be read');
      states.add(read);
    }
    const { status, sentAgain } = states.of(letter.id);
    return [status, sentAgain];
  };
  it('follows the audit', () => {
    expect(after()).toEqual(['open', 0]);
    expect(after(redrive('begun'))).toEqual(['redrive-begun', 0]);
    expect(after(redrive('begun'), redrive('done'))).toEqual(['redriven', 1]);
    expect(after(edit('begun'))).toEqual(['edit-begun', 0]);
    expect(after(edit('begun'), edit('done'))).toEqual(['edited', 1]);
    expect(after({ action: 'discard', stage: 'done' })).toEqual(['discarded', 0]);
  });

  it('is restored if a send fails, also the second time', () => {
    expect(after(redrive('begun'), redrive('failed'))).toEqual(['open', 0]);
    const done = [edit('begun'), edit('done')];
    expect(after(...done, redrive('begun'), redrive('failed'))).toEqual(['edited', 1]);
    expect(after(...done, redrive('begun'), redrive('begun'), redrive('failed'))).toEqual(['edited', 1]);
  });

  it('ignores malformed audit records', () => {
    for (const text of ['', 'x', '{}', '{"version":2}', '[]']) {
      expect(readAuditRecord({ ...AUDIT_MESSAGE, value: Buffer.from(text) })).toBeUndefined();
    }
    expect(readAuditRecord({ ...AUDIT_MESSAGE, value: null })).toBeUndefined();
  });
});
