/** Worked examples of notifications, which tests run. */

const ID = '0b6f3c4e-2d1a-5f7b-9c8d-1e2f3a4b5c6d';

export const SMS_EXAMPLE = {
  sender: 'MyBank',
  message: 'Your new account is ready.',
  receiver: '+40722123456',
};

export const EMAIL_EXAMPLE = {
  sender: 'office@bank.example',
  message: '<p>Your offer is attached.</p>',
  receiver: 'ana@mail.example',
  subject: 'Your offer',
  cc: 'advisor@bank.example; branch@bank.example',
  contentType: 'text/html',
  attachmentList: [{ name: 'offer.txt', content: 'QW4gb2ZmZXIuCg==' }],
};

export const ACCEPTED_EXAMPLE = { notificationId: ID, status: 'accepted' };

export const NOTIFICATION_EXAMPLE = {
  notificationId: ID,
  status: 'sent',
  channel: 'email',
  attempts: [
    {
      attempt: 1,
      at: '2026-01-15T09:30:00.250Z',
      provider: 'SMTP',
      result: 'transient',
      code: 'smtp-452-4.2.2',
    },
    { attempt: 2, at: '2026-01-15T09:30:11.020Z', provider: 'SMTP', result: 'sent' },
  ],
  updatedAt: '2026-01-15T09:30:11.020Z',
};

const ACCEPTED_AT = Date.UTC(2026, 0, 15, 9, 30);

/** Records of the notification topics as JSON. */
export const ACCEPTANCE_EXAMPLE = {
  notificationId: ID,
  channel: 'email',
  acceptedAt: ACCEPTED_AT,
  owner: 'q83vEjRWeJCrze8S',
  bodyHash: '',
};

export const STATE_EXAMPLE = {
  notificationId: ID,
  channel: 'email',
  status: 'retrying',
  attempt: 1,
  attempts: [
    { attempt: 1, at: ACCEPTED_AT + 250, provider: 'SMTP', result: 'transient', code: 'smtp-452-4.2.2' },
  ],
  updatedAt: ACCEPTED_AT + 260,
  nextAttemptAt: ACCEPTED_AT + 10_260,
  code: 'smtp-452-4.2.2',
};
