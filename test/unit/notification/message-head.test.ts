import { expect, it } from 'vitest';
import { readMessageHead } from '../../../shared/notification/sent-messages.ts';

it.each([
  [
    [
      'From: =?UTF-8?Q?Banca_=C8=9A=C4=83?= <b@example.org>',
      'To: ana@example.net',
      'Subject: =?UTF-8?B?UGxhdMSD?=',
      ' =?UTF-8?Q?_gata?=',
      '',
      'Subject: of the body',
    ].join('\r\n'),
    { sender: 'Banca Ță <b@example.org>', receiver: 'ana@example.net', subject: 'Plată gata' },
  ],
  ...['', '\n\nTo: x'].map((head) => [head, { sender: '', receiver: '', subject: '' }] as const),
] as const)(
  'reads the header of a message with folded lines, encoded words or no fields: %j',
  async (head, read) => {
    expect(await readMessageHead(Buffer.from(head))).toEqual(read);
  },
);
