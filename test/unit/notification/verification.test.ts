import { createHmac, hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  countPlaceholders,
  createVerificationCodes,
} from '../../../shared/notification/verification-codes.ts';
import {
  refusalOf,
  stateOf,
  Verifications,
  type VerificationEvent,
  type VerificationPlan,
} from '../../../shared/notification/verification.ts';

const SECRET = 'a secret for tests only';
const codes = createVerificationCodes(SECRET);
const ID = '6f1d7f0c-2a4e-4d0b-9f39-5a3f8c1b7e52';
const HOUR_MS = 3_600_000;
const PLAN: VerificationPlan = {
  channel: 'sms',
  receiver: '+40722123456',
  sender: undefined,
  message: 'Your code is {{code}}.',
  length: 6,
  validSeconds: 300,
  fallback: { receiver: 'ana@mail.example' },
};

const created = (at: number): VerificationEvent => {
  return { id: ID, at, request: `start ${at}`, kind: 'created', caller: 'ana', plan: PLAN };
};

function folded(...events: readonly VerificationEvent[]) {
  const all = new Verifications(codes);
  for (const event of events) all.apply(event);
  const known = all.known.get(ID);
  if (known === undefined) throw new Error('the verification is not known');
  return { all, known };
}

test('a code is the HMAC of the notification id, reduced to its digits with leading zeros', () => {
  const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'plat verification code', 32));
  for (const length of [4, 6, 10]) {
    const digest = createHmac('sha256', key).update(ID).digest('hex');
    const expected = String(BigInt(`0x${digest}`) % 10n ** BigInt(length)).padStart(length, '0');
    expect(codes.code(ID, length)).toBe(expected);
    expect(expected).toHaveLength(length);
  }
  expect(createVerificationCodes('another secret for tests').code(ID, 10)).not.toBe(codes.code(ID, 10));
});

test('each digit of the codes of 20,000 notifications is as frequent as the others', () => {
  const counts = Array.from({ length: 4 }, () => Array.from({ length: 10 }, () => 0));
  const total = 20_000;
  for (let number = 0; number < total; number += 1)
    for (const [place, digit] of codes.code(`notification ${number}`, 4).split('').entries()) {
      const row = counts[place] ?? [];
      row[Number(digit)] = (row[Number(digit)] ?? 0) + 1;
    }
  // Chi-square with 9 degrees of freedom exceeds 33.7 once in ten thousand.
  const wanted = total / 10;
  const chi = counts.map((row) => row.reduce((sum, count) => sum + (count - wanted) ** 2 / wanted, 0));
  expect(Math.max(...chi)).toBeLessThan(33.7);
});

test('the placeholder is replaced only in a message whose header has the number of digits', () => {
  const message = { id: ID, message: 'Your code is {{code}}.' };
  expect(codes.withCode(message, undefined)).toBe(message);
  expect(codes.withCode(message, 'six')).toBe(message);
  expect(codes.withCode(message, '6').message).toBe(`Your code is ${codes.code(ID, 6)}.`);
  expect(['', '{{code}}', '{{code}} {{code}}'].map(countPlaceholders)).toEqual([0, 1, 2]);
});

test('the time of an event decides about expiry, and an expired verification stays so', () => {
  const typed = codes.code(codes.notificationId({ id: ID, createdAt: 0, sends: 1 }), 6);
  const check = (at: number): VerificationEvent => {
    return { id: ID, at, request: `check ${at}`, kind: 'checked', mac: codes.mac(ID, typed) };
  };
  expect(folded(created(0), check(300_000)).known.status).toBe('approved');
  const late = folded(created(0), check(300_001), check(1)).known;
  expect(stateOf(late, 0).status).toBe('expired');
  expect(refusalOf(late, 'checked', 0)).toBe('verification-ended');
});

test('the fallback is used once, only for the last message, and gets a new code', () => {
  const unsent = (send: number): VerificationEvent => {
    return { id: ID, at: 1, request: `unsent/${send}`, kind: 'unsent', send };
  };
  const resend: VerificationEvent = { id: ID, at: 1, request: 'resend', kind: 'sent' };
  const { known } = folded(created(0), unsent(1), unsent(1));
  expect([known.sends, known.target]).toEqual([2, { channel: 'email', receiver: 'ana@mail.example' }]);
  expect(folded(created(0), unsent(1), unsent(2)).known).toMatchObject({ status: 'failed', sends: 2 });
  const replaced = folded(created(0), resend, unsent(1)).known;
  expect([replaced.sends, replaced.target.channel, replaced.status]).toEqual([2, 'sms', 'pending']);
});

test('a verification is known for two hours; its id may then be used again, with another code', () => {
  const repeated = folded(created(0), created(2 * HOUR_MS - 1)).known;
  expect(repeated.createdAt).toBe(0);
  const { all, known } = folded(created(0), created(2 * HOUR_MS));
  expect([known.createdAt, all.known.size]).toEqual([2 * HOUR_MS, 1]);
  expect(codes.notificationId(known)).not.toBe(codes.notificationId(repeated));
});

test('a caller has as much room as it leaves for others, until its verifications are two hours old', () => {
  const all = new Verifications(codes);
  let count = 0;
  const fill = (caller: string, at: number): number => {
    const before = count;
    for (; all.hasRoom(caller, at, 120_000); count += 1)
      all.apply({ ...created(at), id: `id ${count}`, caller } as VerificationEvent);
    return count - before;
  };
  const plan = 3_000 + JSON.stringify(PLAN).length;
  expect(fill('ana', 0)).toBe(Math.ceil(60_000 / plan));
  const others = [fill('bob', 0), fill('cy', 0)];
  expect(others[0]).toBeGreaterThan(5);
  expect(others[1]).toBeGreaterThan(2);
  expect(fill('ana', 2 * HOUR_MS - 1)).toBe(0);
  expect(fill('ana', 2 * HOUR_MS)).toBe(Math.ceil(60_000 / plan));
  expect(all.known.size).toBe(Math.ceil(60_000 / plan));
});
