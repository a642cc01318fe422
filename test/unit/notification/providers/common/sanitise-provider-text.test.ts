import { expect, it } from 'vitest';
import { sanitiseId } from '../../../../../workers/notification/providers/common/sanitise-provider-text.ts';
import { anSms } from '../../../../support/builders/provider-entry.ts';

const kept = (id: string, message: string): boolean =>
  sanitiseId(id, { message: anSms({ message }), secrets: [], configured: [] }) === id;

it('an id is dropped for a word of four letters as a token, and of five letters anywhere', () => {
  expect(kept('x-card-1', 'your card')).toBe(false);
  expect(kept('xcardx1', 'your card')).toBe(true);
  expect(kept('xloansx1', 'your loans')).toBe(false);
  expect(kept('x-new-1', 'all new')).toBe(true);
});
