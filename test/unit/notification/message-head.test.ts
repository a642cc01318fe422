import { expect, it } from 'vitest';
import { readMessageHead } from '../../../shared/notification/sent-messages.ts';

it.each([
  [
    'From: =?UTF-8?Q?Banca_=C8=9A=C4=83?= <b@example.org>\r\nTo: ana@example.net\r\n' +
      'Subject: =?UTF-8?B?UGxhdMSD?=\r\n =?UTF-8?Q?_gata?=\r\n\r\nSubject: of the body',
    { sender: 'Banca Ță <b@example.org>', receiver: 'ana@example.net', subject: 'Plată gata' },
  ],
  ...['', '\n\nTo: x'].map((head) => [head, { sender: '', receiver: '', subject: '' }] as const),
] as const)(
  'reads the header of a message with folded lines, encoded words or no fields: %j',
  async (head, read) => {
    expect(await readMessageHead(Buffer.from(head))).toEqual(read);
  },
);
