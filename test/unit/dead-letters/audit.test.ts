import { describe, expect, it } from 'vitest';
import { createAuditMessage, readAudit, type AuditRecord } from '../../../shared/dead-letters/audit.ts';
import type { LetterLog } from '../../../shared/dead-letters/letter-log.ts';
import { showLetters } from '../../../shared/dead-letters/show-letters.ts';
import type { OffsetRange } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { deadLetter, deadLetterMessage } from '../../support/worlds/dead-letters.ts';
import { callContext } from '../../support/worlds/dead-letters-world.ts';

/** A log with this many records in each partition of the audit, all of one letter; `delivered` counts those that were read. */
function auditOf(counts: readonly number[], reason = 'new credentials') {
  const delivered: string[] = [];
  const context = callContext({} as LetterLog, {
    actor: { operator: 'olga', run: 'run-1', reason },
  });
  const letter = deadLetter({});
  const { value } = createAuditMessage(context, letter, { action: 'redrive', stage: 'done' });
  const log: LetterLog = {
    ranges: async ([topic = '']) => {
      if (topic !== TOPIC.deadLetterAudit) return [{ topic, partition: 4, from: 0, to: 18 }];
      return counts.map((to, partition): OffsetRange => ({ topic, partition, from: 0, to }));
    },
    read: async (ranges, onMessage) => {
      for (const { topic, partition, from, to } of ranges) {
        for (let offset = from; offset < to; offset += 1) {
          const isAudit = topic === TOPIC.deadLetterAudit;
          if (isAudit) delivered.push(`${partition}/${offset}`);
          const message = deadLetterMessage({}, { topic, partition, offset, ...(isAudit ? { value } : {}) });
          if ((await onMessage(message)) === 'stop') return;
        }
      }
    },
    publish: async () => undefined,
    close: async () => undefined,
  };
  return { log, delivered, letter };
}

describe('reading the audit', () => {
  it('passes all records on within the limit', async () => {
    const { log } = auditOf([3, 2]);
    const records: AuditRecord[] = [];
    const reading = await readAudit(callContext(log, { maxAuditRecords: 5 }), (one) => records.push(one));
    expect(reading).toEqual({ read: 5, isComplete: true });
    expect(records).toHaveLength(5);
  });

  it('reads the newest records of each partition beyond the limit, and says so', async () => {
    const { log, delivered } = auditOf([30, 2]);
    const reading = await readAudit(callContext(log, { maxAuditRecords: 5 }), () => undefined);
    expect(reading).toEqual({ read: 5, isComplete: false });
    expect(delivered.toSorted()).toEqual(['0/27', '0/28', '0/29', '1/0', '1/1']);
  });

  it('stops at records that are much larger than usual, and says so', async () => {
    const { log, delivered } = auditOf([10], 'x'.repeat(100_000));
    const reading = await readAudit(callContext(log, { maxAuditRecords: 250 }), () => undefined);
    expect(reading).toMatchObject({ read: 2, isComplete: false });
    expect(delivered).toHaveLength(3);
  });

  it('stops when the signal is aborted, and says so', async () => {
    const { log, delivered } = auditOf([10]);
    const end = new AbortController();
    const reading = await readAudit(callContext(log, { signal: end.signal }), () => end.abort());
    expect(reading).toEqual({ read: 1, isComplete: false });
    expect(delivered).toHaveLength(2);
    expect(await readAudit(callContext(log, { signal: end.signal }), () => undefined)).toMatchObject({
      read: 0,
      isComplete: false,
    });
    expect(delivered).toHaveLength(2);
  });
});

it('a shown letter has its newest hundred steps, and says that there are others', async () => {
  for (const [count, shown, isAuditComplete] of [
    [100, 100, true],
    [101, 100, false],
  ] as const) {
    const { log, letter } = auditOf([count]);
    const [one] = await showLetters(callContext(log), [letter], () => 'open');
    expect(one?.audit).toHaveLength(shown);
    expect(one?.isAuditComplete).toBe(isAuditComplete);
  }
});
