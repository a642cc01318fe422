import { expect, it } from 'vitest';
import { readMailText } from '../../../../workers/ingress/operations/outbox-routes.ts';

it('keeps blanks before the soft line breaks of quoted-printable text', async () => {
  const mail = [
    'Subject: Offer',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Your offer =',
    'is ready, caf=C3=A9 =3D 1',
  ].join('\r\n');
  expect((await readMailText(Buffer.from(mail))).text).toContain('Your offer is ready, café = 1');
});
