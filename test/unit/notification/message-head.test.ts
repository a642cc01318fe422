import { describe, expect, it } from 'vitest';
import { readMessageHead } from '../../../shared/notification/sent-messages.ts';

describe('the message header', () => {
  it('is read with folded lines and encoded words', async () => {
    const head = [
      'From: =?UTF-8?Q?Banca_=C8=9A=C4=83?= <b@example.org>',
      'To: ana@example.net',
      'Subject: =?UTF-8?B?UGxhdMSD?=',
      ' =?UTF-8?Q?_gata?=',
      '',
      'Subject: of the body',
    ].join('\r\n');
    expect(await readMessageHead(Buffer.from(head))).toEqual({
      sender: 'Banca Ță <b@example.org>',
      receiver: 'ana@example.net',
      subject: 'Plată gata',
    });
  });

  it('has empty strings for missing fields', async () => {
    expect(await readMessageHead(Buffer.alloc(0))).toEqual({ sender: '', receiver: '', subject: '' });
    expect(await readMessageHead(Buffer.from('\n\nTo: x'))).toEqual({
      sender: '',
      receiver: '',
      subject: '',
    });
  });
});
