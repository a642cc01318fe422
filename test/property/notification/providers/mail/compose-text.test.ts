import * as fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { describe, expect, it } from 'vitest';
import { composeText } from '../../../../../workers/notification/providers/mail/compose-text.ts';

const OPTIONS = {
  from: { name: 'Bank Ă', address: 'no-reply@bank.example' },
  to: [{ name: '', address: 'ana@mail.example' }],
  messageId: '<1@bank.example>',
  date: new Date(0),
};

type Part = { readonly text: string } | { readonly html: string };

/** A message as the composer of nodemailer builds it; two of the same part are equal. */
const messageOf = (part: Part, more: object = {}) =>
  new MailComposer({ ...OPTIONS, subject: 'Ofertă', ...part, ...more }).compile();

const lines = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ maxLength: 200 }),
    fc.constantFrom('.', '..', '=', 'a '.repeat(60), 'ă'.repeat(80), '=20', '\ud800', 'From me'),
  ),
);
const breaks = fc.constantFrom('\r\n', '\n', '\r', '\n\n');

describe('a text message that is composed at once', () => {
  it('has the bytes that the streams of nodemailer make of it', async () => {
    const parts = fc.tuple(lines, breaks, fc.constantFrom('', '\n', '\r', '.'), fc.boolean());
    let composed = 0;
    await fc.assert(
      fc.asyncProperty(parts, async ([texts, lineBreak, end, isHtml]) => {
        const content = texts.join(lineBreak) + end;
        const part = isHtml ? { html: content } : { text: content };
        const bytes = composeText(messageOf(part));
        if (bytes === undefined) return;
        composed += 1;
        expect(bytes.toString('latin1')).toBe((await messageOf(part).build()).toString('latin1'));
      }),
      { numRuns: 500 },
    );
    expect(composed).toBeGreaterThan(100);
  });

  it('is left to the streams if it has files, is long, or ends with a blank', () => {
    const attachments = [{ filename: 'a.txt', content: 'a' }];
    expect(composeText(messageOf({ text: 'a' }, { attachments }))).toBeUndefined();
    expect(composeText(messageOf({ text: 'a'.repeat(20_000) }))).toBeUndefined();
    expect(composeText(messageOf({ text: 'a ' }))).toBeUndefined();
  });
});
