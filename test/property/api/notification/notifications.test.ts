import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkCommand, emailReader, smsReader } from '../../../../shared/api/notification/read-command.ts';
import { cleanEmailAddress } from '../../../../shared/api/notification/email-address.ts';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import { cleanPhoneNumber } from '../../../../shared/api/notification/phone-number.ts';
import type { EmailCommand } from '../../../../shared/notification/notification-command.ts';

const READING = { hasDefaultSender: true };
const EMAIL = { message: 'Hello', receiver: 'ana@mail.example', subject: 'News' };
const LINES = ['sender', 'receiver', 'subject', 'cc', 'bcc'] as const;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const RUNS = { numRuns: 2_000 };

const pieces = (...parts: readonly string[]) =>
  fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((chosen) => chosen.join(''));
const readEmail = (fields: object) => emailReader.parse({ ...EMAIL, ...fields }, READING);

/** The lines of an e-mail's headers. */
const headerLines = ({ sender = '', receiver, subject, cc, bcc }: EmailCommand) => [
  sender,
  receiver,
  subject,
  ...cc,
  ...bcc,
];

describe('header injection is refused', () => {
  const control = fc.constantFrom('\r\n', '\n', '\r', '\0', '\v', '\u007f', '\u0085', '\u2028', '\u2029');
  const around = fc.constantFrom('', 'a@b.example', ' ', 'Bcc: eve@mail.example', 'x');

  test.each(LINES)('for a control character at any position of %s', (name) => {
    fc.assert(
      fc.property(around, control, around, (before, character, after) => {
        const read = readEmail({ [name]: before + character + after });
        expect(read).toMatchObject({ kind: 'invalid', faults: [{ path: name, code: 'control-character' }] });
        expect(JSON.stringify(read)).not.toContain('eve@');
      }),
    );
    expect(readEmail({ [name]: 'a@b.example' }).kind).toBe('valid');
  });

  test('for any text; accepted values are single lines', () => {
    let accepted = 0;
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      pieces('a', '@', 'b.example', '.', ' ', ';', ',', '\r\n', '\0', 'é'),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(...LINES), (text, name) => {
        const read = readEmail({ [name]: text });
        if (read.kind === 'valid') accepted += 1;
        const lines = read.kind === 'valid' ? headerLines(read.payload) : [];
        expect(lines.filter((line) => CONTROLS.test(line))).toEqual([]);
      }),
      RUNS,
    );
    expect(accepted).toBeGreaterThan(20);
  });

  test('for addresses; an accepted address is a single mailbox', () => {
    let accepted = 0;
    const odd = fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('.', '\r', '\n', ',', ';', '<', '>', ' ', '"', '\0', '%', 'é', '@'),
      },
    );
    const texts = fc.tuple(odd, odd, odd, odd).map(([a, b, c, d]) => `${a}x${b}@${c}b.example${d}`);
    fc.assert(
      fc.property(texts, (text) => {
        const address = cleanEmailAddress(text);
        if (address !== undefined) accepted += 1;
        expect(address ?? 'a@b.example').toMatch(/^[^\s,;<>"@\\()[\]]+@[a-z0-9.-]+$/);
      }),
      RUNS,
    );
    expect(accepted).toBeGreaterThan(20);
  });
});

test('cleanPhoneNumber returns E.164 and is idempotent (N4)', () => {
  let accepted = 0;
  const texts = fc.oneof(
    pieces('+', '00', '40', '0', '722', '123', '456', ' ', '(', ')', '-', '.', 'x', '\r\n'),
    fc.integer({ min: 100_000_000, max: 999_999_999 }).map((digits) => `+40 ${digits}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const number = cleanPhoneNumber(text, 'RO');
      if (number !== undefined) accepted += 1;
      expect(number ?? '+40722123456').toMatch(/^\+[1-9]\d{6,14}$/);
      expect(cleanPhoneNumber(number ?? '')).toBe(number);
    }),
    RUNS,
  );
  expect(accepted).toBeGreaterThan(20);
});

test('every accepted e-mail is a valid command', () => {
  const shape = MESSAGE_FORMS['SendEmailCommand'];
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    pieces('a', '@', 'b.example', 'bücher.example', ';', ',', ' ', 'C'),
  );
  let accepted = 0;
  fc.assert(
    fc.property(texts, fc.constantFrom(...LINES), (text, name) => {
      const read = shape?.parse({ ...EMAIL, [name]: text });
      if (read?.kind === 'valid') accepted += 1;
      const fault = read?.kind === 'valid' ? checkCommand(read.payload as EmailCommand) : undefined;
      expect(fault).toBeUndefined();
    }),
    RUNS,
  );
  expect(accepted).toBeGreaterThan(20);
});

test('the readers never throw', async () => {
  const names = fc.constantFrom(...LINES, 'message', 'contentType', 'attachmentList');
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), names, async (value, name) => {
      const read = await emailReader.read({ ...EMAIL, [name]: value }, READING);
      expect(['valid', 'invalid']).toContain(read.kind);
      expect(['valid', 'invalid']).toContain(smsReader.parse(value, READING).kind);
    }),
  );
});
