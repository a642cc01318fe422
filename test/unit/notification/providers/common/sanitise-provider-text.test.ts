import { describe, expect, it } from 'vitest';
import {
  sanitiseCode,
  sanitiseId,
} from '../../../../../workers/notification/providers/common/sanitise-provider-text.ts';
import { anSms } from '../../../../support/builders/outbound-messages.ts';

const isKept = (id: string, message: string): boolean =>
  sanitiseId(id, { message: anSms({ message }), secrets: [], configured: [] }) === id;

it('drops an id with a sensitive word of four letters as a token, or of five letters anywhere', () => {
  expect(isKept('x-card-1', 'your card')).toBe(false);
  expect(isKept('xcardx1', 'your card')).toBe(true);
  expect(isKept('xloansx1', 'your loans')).toBe(false);
  expect(isKept('x-new-1', 'all new')).toBe(true);
});

describe('sanitiseCode', () => {
  it.each([
    ['smtp-550-5.1.1', 'smtp-550-5.1.1'],
    ['a b\r\nc', 'a-b-c'],
    ['…', 'unnamed'],
    ['', 'unnamed'],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('sanitises %j to %j', (given, kept) => {
    expect(sanitiseCode(given)).toBe(kept);
  });
});
