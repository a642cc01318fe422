import { describe, expect, it } from 'vitest';
import {
  createAuditMessage,
  DeadLetterStates,
  readAuditRecord,
  type AuditStep,
} from '../../../shared/dead-letters/audit.ts';
import type { DeadLetterLog } from '../../../shared/dead-letters/dead-letter-log.ts';
import {
  countByCode,
  discardDeadLetters,
  sendDeadLetters,
  visibleDeadLetters,
  type DeadLetterAction,
} from '../../../shared/dead-letters/act-on-dead-letters.ts';
import type { Scan } from '../../../shared/dead-letters/find-dead-letters.ts';
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

function fakeLog(
  messages: readonly LogMessage[],
  onPublish: (message: OutgoingMessage) => void = () => undefined,
) {
  const published: OutgoingMessage[] = [];
  const log: DeadLetterLog = {
    ranges: async (topics) => topics.map((topic) => ({ topic, partition: 4, from: 0, to: 10_000 })),
    read: async (ranges, onMessage) => {
      for (const message of messages) {
        const { topic, offset } = message;
        const isIn = ranges.some((one) => one.topic === topic && offset >= one.from && offset < one.to);
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
  return { log, published, reported: () => published.map(kindOf) };
}

/** The topic of a copy, or the stage of an audit record. */
const kindOf = ({ topic, value }: OutgoingMessage) =>
  topic === TOPIC.deadLetterAudit ? (JSON.parse(String(value)) as { stage: string }).stage : topic;
const failOn = (kind: string, code: string) => (message: OutgoingMessage) => {
  if (kindOf(message) !== kind) return;
  throw new MessagingError(code, code, { canRetry: code !== 'message-too-large' });
};

const COPY = TOPIC.smsCommands;
const BOTH_FAILED = ['begun', 'failed', 'begun', 'failed'];

const sendOver = (log: DeadLetterLog, letters = CHOSEN, more = {}, acting = REDRIVE) =>
  sendDeadLetters(callContext(log, more), letters, new DeadLetterStates(), acting);

const LETTERS = [17, 18].map((offset) => deadLetterMessage({}, { offset }));
const CHOSEN = [17, 18].map((offset) =>
  deadLetter({}, { offset, id: `${TOPIC.notificationDeadLetters}/4/${offset}` }),
);

describe('sendDeadLetters', () => {
  it('writes an audit record before and after each letter, without payload or address', async () => {
    const { log, reported, published } = fakeLog(LETTERS);
    const results = await sendOver(log);
    expect(results.map(({ result }) => result)).toEqual(['redriven', 'redriven']);
    expect(reported()).toEqual(['begun', TOPIC.smsCommands, 'done', 'begun', TOPIC.smsCommands, 'done']);
    const audit = published.filter(({ topic }) => topic === TOPIC.deadLetterAudit);
    for (const { value, key } of audit) {
      expect(String(value)).not.toMatch(/40722|hello|abab/);
      expect(key).toMatch(/\/4\/1[78]$/);
    }
  });

  it('writes nothing in a dry run', async () => {
    const { log, published } = fakeLog(LETTERS);
    const options = { ...REDRIVE.options, dryRun: true };
    const edit = { patch: {}, headers: { kafka_replyTopic: 't' }, changed: [] };
    for (const action of ['redrive', 'edit'] as const) {
      const acting = { action, options, edit: action === 'edit' ? edit : undefined };
      const results = await sendOver(log, CHOSEN.slice(0, 1), {}, acting);
      expect(results).toMatchObject([{ result: `would-${action}`, to: `${TOPIC.smsCommands}/4` }]);
    }
    const discarded = await discardDeadLetters(callContext(log), CHOSEN, true);
    expect(discarded.map(({ result }) => result)).toEqual(['would-discard', 'would-discard']);
    expect(published).toEqual([]);
  });

  it.each([
    ['stops if the audit cannot be written', 'begun', 'not-sent', 'nothing was sent', []],
    ['leaves it at `begun` if the copy may be written', COPY, 'send-unknown', 'is safe', ['begun']],
    ['continues if only this copy was refused', COPY, 'message-too-large', 'nothing was sent', BOTH_FAILED],
    ['reports a copy without its audit record', 'done', 'not-sent', 'it was sent', ['begun', COPY]],
  ])('%s', async (...[, failing, code, why, expected]) => {
    const { log, reported } = fakeLog(LETTERS, failOn(failing, code));
    const results = await sendOver(log);
    expect(results.map(({ result }) => result)).toEqual(['failed', 'failed']);
    expect(results[0]?.why).toContain(why);
    expect(reported()).toEqual(expected);
  });

  it('does not start another letter after an interruption', async () => {
    const interruption = new AbortController();
    const { log, reported } = fakeLog(LETTERS, ({ topic }) => {
      if (topic === TOPIC.smsCommands) interruption.abort();
    });
    const results = await sendOver(log, CHOSEN, { signal: interruption.signal });
    expect(results.map(({ result }) => result)).toEqual(['redriven', 'failed']);
    expect(reported()).toEqual(['begun', TOPIC.smsCommands, 'done']);
  });

  it('reads an omitted value from the original topic as long as the message is retained', async () => {
    const letter = deadLetterMessage({}, { value: null });
    const place = { topic: TOPIC.smsCommands, offset: 912, timestampMs: 1_777_600_000_000 };
    const original = deadLetterMessage({}, { ...place, value: Buffer.from('{"a":1}') });
    const chosen = CHOSEN.slice(0, 1);
    const whole = fakeLog([letter, original]);
    expect(await sendOver(whole.log, chosen)).toMatchObject([{ result: 'redriven' }]);
    expect(whole.published[1]?.value).toEqual(original.value);
    const { log, reported } = fakeLog([letter]);
    expect(await sendOver(log, chosen)).toMatchObject([{ result: 'refused' }]);
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
    expect(await sendOver(log, chosen)).toMatchObject([{ result: 'refused' }]);
    expect(reported()).toEqual([]);
  });
});

it('shows the newest letters first, those of one time by offset, then by id, and counts the rarest codes together', () => {
  const letters = ['1 5 a', '2 1 c', '1 7 a', '2 1 d', '2 0 e'].map((text) => {
    const [atMs, offset, id = ''] = text.split(' ');
    return deadLetter({}, { atMs: Number(atMs), offset: Number(offset), id });
  });
  const scan = { letters, states: new DeadLetterStates() } as unknown as Scan;
  const shown = visibleDeadLetters(scan, false).map(({ atMs, offset, id }) => `${atMs} ${offset} ${id}`);
  expect(shown).toEqual(['2 1 d', '2 1 c', '2 0 e', '1 7 a', '1 5 a']);
  const codes = Array.from({ length: 102 }, (_, at) => deadLetter({}, { code: `code-${at}` }));
  const counts = countByCode([...codes, deadLetter({}, { code: 'code-7' })]);
  expect(Object.keys(counts)).toHaveLength(101);
  expect([Object.keys(counts)[0], counts['code-7'], counts['*']]).toEqual(['code-7', 2, 2]);
});

it('reports a discard as failed when the audit cannot be written', async () => {
  const { log } = fakeLog([], failOn('done', 'not-sent'));
  const results = await discardDeadLetters(callContext(log), CHOSEN, false);
  expect(results.map(({ result }) => result)).toEqual(['failed', 'failed']);
});

describe('the status of a letter', () => {
  const letter = deadLetter();
  const context = callContext(fakeLog([]).log);
  const after = (...steps: readonly `${AuditStep['action']} ${AuditStep['stage']}`[]) => {
    const states = new DeadLetterStates();
    for (const step of steps) {
      const [action, stage] = step.split(' ') as [AuditStep['action'], AuditStep['stage']];
      const { value } = createAuditMessage(context, letter, { action, stage });
      const read = readAuditRecord({ ...AUDIT_MESSAGE, value });
      if (read === undefined) throw new Error('the record cannot be read');
      states.add(read);
    }
    const { status, sentAgain } = states.of(letter.id);
    return [status, sentAgain];
  };
  it('follows the audit', () => {
    expect(after()).toEqual(['open', 0]);
    expect(after('redrive begun')).toEqual(['redrive-begun', 0]);
    expect(after('redrive begun', 'redrive done')).toEqual(['redriven', 1]);
    expect(after('edit begun')).toEqual(['edit-begun', 0]);
    expect(after('edit begun', 'edit done')).toEqual(['edited', 1]);
    expect(after('discard done')).toEqual(['discarded', 0]);
  });

  it('is restored if a send fails, also the second time', () => {
    expect(after('redrive begun', 'redrive failed')).toEqual(['open', 0]);
    const done = ['edit begun', 'edit done', 'redrive begun'] as const;
    expect(after(...done, 'redrive failed')).toEqual(['edited', 1]);
    expect(after(...done, 'redrive begun', 'redrive failed')).toEqual(['edited', 1]);
  });

  it('ignores malformed audit records', () => {
    for (const text of ['', 'x', '{}', '{"version":2}', '[]']) {
      expect(readAuditRecord({ ...AUDIT_MESSAGE, value: Buffer.from(text) })).toBeUndefined();
    }
    expect(readAuditRecord({ ...AUDIT_MESSAGE, value: null })).toBeUndefined();
  });
});
