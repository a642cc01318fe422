import { expect, it } from 'vitest';
import { checkSignatures } from '../../support/dkim-signatures.ts';

/** The example of RFC 8463, appendix A.3, with its RSA signature, and the key of A.2. */
const MESSAGE = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=test; t=1528637909; h=from : to : subject :
 date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3
 DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz
 dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

Hi.

We lost the game.  Are you hungry yet?

Joe.
`.replaceAll('\n', '\r\n');
const KEY =
  'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutAC' +
  'DfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB';

const resultsOf = (message: string): readonly string[] =>
  checkSignatures(Buffer.from(message, 'latin1'), KEY).map(({ result }) => result);

it('verifies the published signature and reports its key and fields', () => {
  expect(checkSignatures(Buffer.from(MESSAGE, 'latin1'), KEY)).toEqual([
    {
      result: 'pass',
      keyName: 'test._domainkey.football.example.com',
      signed: ['from', 'to', 'subject', 'date', 'message-id', 'from', 'subject', 'date'],
    },
  ]);
});

it('ignores changes to white space that mail servers may make', () => {
  const changed = MESSAGE.replace('Subject: Is dinner', 'SUBJECT:  Is\r\n dinner')
    .replace('game.  Are', 'game. Are ')
    .replace('Joe.\r\n', 'Joe. \r\n\r\n\r\n');
  expect(resultsOf(changed.replace('Are  you', 'Are you'))).toEqual(['pass']);
});

it.each([
  ['another text', 'We lost', 'We won', 'fail: body'],
  ['another subject', 'Is dinner', 'Was dinner', 'fail: header'],
  ['a second subject', 'To: ', 'Subject: Hi\r\nTo: ', 'fail: header'],
  ['a different signing time', 't=1528637909', 't=1528637900', 'fail: header'],
  ['no signature', 'DKIM-Signature:', 'X-Signature:', undefined],
])('rejects %s', (_, from, to, result) => {
  expect(resultsOf(MESSAGE.replace(from, to))).toEqual(result === undefined ? [] : [result]);
});
