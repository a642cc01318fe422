/** A figure of 2^53 - 1 minor units was calculated, but avsc could not encode the reply: a 500 instead of a 422. */

import { expect, it } from 'vitest';
import { MAX_FIGURE_MINOR } from '../../shared/lending/numbers/money.ts';
import { MAX_EXACT_LONG } from '../../shared/messaging/codec/avro-types.ts';
import { createMessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import { decimal, faultCodes, scheduleOf } from '../support/builders/lending-loan.ts';

const YEAR = { Amount: decimal('10000000000000'), InstallmentsNo: 1, PeriodicityType: 'Annual' } as const;

it('encodes and decodes the largest figure', async () => {
  const codec = createMessageCodec({ shapes: {}, clock: { now: () => 0 } });
  const schedule = scheduleOf({ ...YEAR, InterestPercent: decimal('800.7199254740990') });
  expect(schedule.rows[0]?.pmt).toBe(MAX_FIGURE_MINOR);
  const message = await codec.encode('CalculateRepaymentScheduleReply', schedule, 'avro');
  const decoded = await codec.decode(message);
  expect(decoded).toMatchObject({ kind: 'decoded', payload: { rows: [{ pmt: MAX_FIGURE_MINOR }] } });
});

it('refuses a figure of one minor unit more', () => {
  expect(MAX_FIGURE_MINOR).toBe(MAX_EXACT_LONG);
  const faults = faultCodes({ ...YEAR, InterestPercent: decimal('800.7199254740991') });
  expect(faults).toEqual(['Amount amount-too-large']);
});
