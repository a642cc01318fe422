import { createTransport } from 'nodemailer';
import { expect, it } from 'vitest';
import { HEADER } from '../../shared/messaging/headers.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { openSentMessages } from '../../shared/notification/sent-messages.ts';
import { commandsOf, idOf, send, SMS, writeState } from '../support/builders/notification-call.ts';
import { notificationState } from '../support/builders/notification-state.ts';
import {
  DESKTOP,
  findAccessibilityFaults,
  findFaultsInLooks,
  PHONE,
  useBrowser,
} from '../support/browser/workbench-page.ts';
import {
  createTestBroker,
  openNotificationIngress,
  type IngressSettings,
} from '../support/worlds/ingress-fixture.ts';
import {
  createLetterTopics,
  letterNotificationId,
  publishLetters,
} from '../support/worlds/operations-calls.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const MAIL_ID = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
const CODES = ['smtp-550-5.1.1', 'number-blocked', 'outcome-unknown'];

const openPage = useBrowser();

async function openMessages(letters = 0, settings: IngressSettings = {}) {
  const broker = await createTestBroker();
  await createLetterTopics(broker);
  await publishLetters(broker, letters, (number) => ({
    [HEADER.deadLetterCode]: CODES[number % CODES.length] ?? '',
    [HEADER.deadLetterReason]: 'the provider refused the receiver',
    [HEADER.attemptHistory]: JSON.stringify([
      { attempt: 1, at: 1_777_600_000_000, provider: 'main', result: 'transient', code: 'http-503' },
      { attempt: 2, at: 1_777_600_060_000, provider: 'main', result: 'permanent', code: 'smtp-550-5.1.1' },
    ]),
  }));
  const { url } = await openNotificationIngress({ broker, ...settings });
  return { broker, address: `${url}/workbench/messages`, url };
}

async function retryingNotification(broker: Broker, url: string): Promise<string> {
  const id = await idOf(send(url, 'sms', SMS, { headers: { 'idempotency-key': 'payment-2026-0007' } }));
  const now = Date.now();
  const attempt = { provider: 'main', result: 'transient', code: 'http-503' } as const;
  await writeState(broker, {
    ...notificationState(id, { status: 'retrying', attempt: 2, code: 'http-503', updatedAt: now + 12_000 }),
    attempts: [
      { ...attempt, attempt: 1, at: now + 800 },
      { ...attempt, attempt: 1, at: now + 1_300, provider: 'spare', code: 'timeout' },
      { ...attempt, attempt: 2, at: now + 12_000 },
    ],
    nextAttemptAt: now + 72_000,
  });
  return id;
}

const STEPS = [
  expect.stringContaining('Accepted') as string,
  expect.stringMatching(/Round 1: main[\s\S]*Failed for now http-503/) as string,
  expect.stringContaining('Round 1: spare') as string,
  expect.stringMatching(/10\.\d s later[\s\S]*Round 2: main/) as string,
  expect.stringMatching(/1 min later[\s\S]*Round 3 due[\s\S]*in /) as string,
];

it('finding a notification by its Idempotency-Key shows its timeline, and by its id the dead letter of a parked one', async () => {
  const { broker, address, url } = await openMessages(3);
  const id = await retryingNotification(broker, url);
  const parked = letterNotificationId(2);
  await writeState(
    broker,
    notificationState(parked, { status: 'parked', code: 'outcome-unknown', updatedAt: Date.now() }),
  );
  const { page, errors } = await openPage(`${address}?reference=unknown`);
  await page.getByRole('heading', { name: 'No notification found' }).waitFor();
  const search = page.getByLabel('Notification id or Idempotency-Key');
  await search.fill('payment-2026-0007');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('heading', { name: id }).waitFor();
  await page.getByText('Round 3 due').waitFor();
  expect(await page.locator('.timeline-step').allInnerTexts()).toEqual(STEPS);
  const faults = await findFaultsInLooks(page, 'messages-timeline', async () => {
    await page.getByText('Urmează runda 3').waitFor();
    expect(await page.locator('.timeline-step').count()).toBe(5);
  });
  expect(faults).toEqual([]);
  expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
  await search.fill(parked);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Dead letters of this notification' }).click();
  await page.getByRole('link', { name: 'outcome-unknown' }).click();
  await page.getByRole('heading', { name: 'outcome-unknown' }).waitFor();
  expect(await page.locator('pre').innerText()).toContain('[masked, 12 characters]');
  expect(await page.content()).not.toContain('40722');
  await page.getByRole('link', { name: 'Outbox' }).click();
  await page.getByRole('heading', { name: 'There is no local outbox' }).waitFor();
  expect(await findAccessibilityFaults(page, 'main')).toEqual([]);
});

async function manyNotifications(broker: Broker): Promise<void> {
  const now = Date.now();
  const statuses = ['sent', 'delivered', 'failed', 'retrying', 'parked', 'suppressed', 'bounced'] as const;
  for (let number = 0; number < 60; number += 1) {
    const id = letterNotificationId(number);
    const status = statuses[number % statuses.length] ?? 'sent';
    const at = now - 3_600_000 + number * 47_000;
    await writeState(
      broker,
      notificationState(id, {
        status,
        channel: number % 3 === 0 ? 'email' : 'sms',
        updatedAt: at,
        category: number % 5 === 0 ? 'campaign' : 'transactional',
        receiverHash: `5f0c1e6b9a3d72${String(number % 90).padStart(2, '0')}`,
        attempts: [
          { attempt: 1, at, provider: number % 2 ? 'Twilio' : 'SMTP', result: 'sent', code: undefined },
        ],
      }),
      at,
    );
  }
}

it('the first view lists recent notifications, filtered and paged, each with its timeline', async () => {
  const { broker, address } = await openMessages();
  const { page, errors } = await openPage(address);
  await page.getByRole('heading', { name: 'No notifications' }).waitFor();
  expect(await findAccessibilityFaults(page, 'main')).toEqual([]);
  await manyNotifications(broker);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('row').nth(50).waitFor();
  expect(await page.getByRole('row').nth(1).innerText()).toMatch(
    /0059\s+Retrying\s[\s\S]*SMS\s+Twilio\s+Transactional/,
  );
  const faults = await findFaultsInLooks(page, 'messages-recent', async () => {
    await page.getByRole('heading', { name: 'Notificări recente' }).waitFor();
  });
  expect(faults).toEqual([]);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByRole('link', { name: letterNotificationId(0) }).waitFor();
  expect(await page.getByRole('row').count()).toBe(11);
  await page.getByLabel('Status').selectOption('bounced');
  await page.getByRole('link', { name: letterNotificationId(55) }).waitFor();
  expect(await page.getByRole('row').count()).toBe(9);
  expect(new URL(page.url()).search).toBe('?status=bounced');
  await page.getByLabel('Channel').selectOption('email');
  await expect.poll(() => page.getByRole('row').count()).toBe(4);
  await page.getByRole('link', { name: letterNotificationId(48) }).click();
  await page.getByRole('heading', { name: letterNotificationId(48) }).waitFor();
  expect(errors).toEqual([]);
});

it('dead letters are listed with their problems, shown masked, and filtered; the address keeps the filters', async () => {
  const { address } = await openMessages(12);
  const { page, errors } = await openPage(`${address}/dead-letters`);
  await page.getByRole('checkbox').nth(12).waitFor();
  expect(await findFaultsInLooks(page, 'messages-letters')).toEqual([]);
  await page.locator('tbody a').first().click();
  await page.locator('pre').waitFor();
  expect(await findFaultsInLooks(page, 'messages-letter')).toEqual([]);
  await page.getByRole('link', { name: 'All dead letters' }).click();
  await page.getByRole('button', { name: /^number-blocked/ }).click();
  await page.getByText('4 dead letters').waitFor();
  expect(new URL(page.url()).searchParams.get('code')).toBe('number-blocked');
  await page.getByLabel('Channel').selectOption('email');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByText('No dead letter matches these filters.').waitFor();
  await page.reload();
  await page.getByText('No dead letter matches these filters.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('12 dead letters').waitFor();
  expect(errors).toEqual([]);
  await page.goto(`${address}/dead-letters?since=yesterday`);
  await page.getByRole('alert').getByText('since').waitFor();
});

it('dead letters fit on the page with a long code and reason without a space, also on a phone', async () => {
  const { broker, address } = await openMessages();
  await publishLetters(broker, 3, (number) => ({
    [HEADER.deadLetterCode]: number === 0 ? `refused-${'by-the-carrier-'.repeat(5)}` : 'number-blocked',
    [HEADER.deadLetterReason]:
      number === 1 ? `https://carrier.example/${'0123456789'.repeat(40)}` : 'refused',
  }));
  const { page } = await openPage(`${address}/dead-letters`);
  const isWider = (selector: string) =>
    page.locator(selector).evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  const expectFit = async (...selectors: readonly string[]) => {
    for (const screen of [PHONE, DESKTOP]) {
      await page.setViewportSize(screen);
      for (const selector of selectors) expect(await isWider(selector)).toBe(false);
    }
  };
  await page.getByRole('checkbox').nth(3).waitFor();
  await expectFit('html', '.table-wrap');
  for (const letter of [2, 1]) {
    await page.locator('tbody a').nth(letter).click();
    await page.locator('pre').waitFor();
    await expectFit('html');
    await page.goBack();
  }
});

it('dead letters are redriven after a preview, with the guard of unknown outcomes and a reason', async () => {
  const { broker, address } = await openMessages(3);
  const { page, errors } = await openPage(`${address}/dead-letters`);
  await page.getByLabel('Select all on this page').check();
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Redrive', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 would be redriven, 1 refused').waitFor();
  expect(await commandsOf(broker, 'sms')).toEqual([]);
  expect(await findAccessibilityFaults(page, 'dialog')).toEqual([]);
  await dialog.getByLabel(/may have been sent already/).press('Space');
  await dialog.getByText('3 would be redriven').waitFor();
  expect(await dialog.locator('input[type=checkbox]:focus').count()).toBe(1);
  await dialog.getByRole('button', { name: 'Redrive 3' }).click();
  await dialog.getByText('Enter a reason for the audit.').waitFor();
  await dialog.getByLabel('Why?').fill('new credentials');
  await dialog.getByRole('button', { name: 'Redrive 3' }).click();
  await dialog.getByText('3 redriven').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
  expect(await commandsOf(broker, 'sms')).toHaveLength(3);
  expect(errors).toEqual([]);
});

it('dead letters are edited by keyboard, and the audit names the changed fields', async () => {
  const { broker, address } = await openMessages(1);
  const { page } = await openPage(`${address}/dead-letters`);
  await page.locator('tbody a').click();
  await page.getByRole('button', { name: 'Edit and redrive' }).press('Enter');
  const dialog = page.getByRole('dialog');
  const changes = dialog.getByLabel('Changes to the payload');
  await changes.fill('[1]');
  await dialog.getByRole('button', { name: 'Preview' }).press('Enter');
  await dialog.getByText('Enter a JSON object without repeated members.').waitFor();
  expect(await findAccessibilityFaults(page, 'dialog')).toEqual([]);
  await changes.fill('{"receiver": "+40722123458", "receiver": "+40722123457"}');
  await dialog.getByRole('button', { name: 'Preview' }).press('Enter');
  await dialog.getByText('Enter a JSON object without repeated members.').waitFor();
  // Changes after a preview have to be previewed themselves.
  for (const last of [8, 7]) {
    await changes.fill(`{"receiver": "+4072212345${last}"}`);
    expect(await dialog.getByLabel('Why?').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Preview' }).press('Enter');
    await dialog.getByLabel('Why?').waitFor();
  }
  await dialog.getByLabel('Why?').fill('typing error');
  await page.keyboard.press('Enter');
  await dialog.getByText('1 edited').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Audit' }).getByText('typing error').first().waitFor();
  expect(await page.getByRole('region', { name: 'Audit' }).innerText()).toContain('receiver');
  expect(await commandsOf(broker, 'sms')).toMatchObject([{ payload: { receiver: '+40722123457' } }]);
});

it('dead letters say so when there are none, and when the engine is away', async () => {
  const { broker, address } = await openMessages(0);
  const { page } = await openPage(`${address}/dead-letters`);
  await page.getByText('Every message was handled.').waitFor();
  await publishLetters(broker, 1);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('1 dead letter', { exact: true }).waitFor();
  await page.route('**/api/operations/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.reload();
  await page.getByText('The engine cannot be reached.').waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
});

async function openOutbox() {
  const folder = openSentMessages(scratchFolder());
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail({
    from: 'oferte@bank.example',
    to: 'ana@mail.example',
    subject: 'Oferta ta de credit',
    text: 'Bună ziua, Ana!',
    html: '<body style="font-family: sans-serif"><h1 style="color: #0b5a7a">Bună ziua, Ana!</h1><p>Oferta ta este gata.</p><script>document.title = "bad"</script></body>',
  });
  await folder.write(MAIL_ID, 'email', message as unknown as Buffer);
  return openMessages(0, { outbox: folder });
}

it('the outbox shows an e-mail as its receiver sees it, and as text', async () => {
  const { address } = await openOutbox();
  const { page, errors } = await openPage(`${address}/outbox`);
  await page.getByRole('link', { name: 'Oferta ta de credit' }).click();
  const mail = page.frameLocator('iframe');
  await mail.getByRole('heading', { name: 'Bună ziua, Ana!' }).waitFor();
  expect(await findFaultsInLooks(page, 'messages-outbox')).toEqual([]);
  await page.getByRole('region', { name: 'Text' }).getByText('Bună ziua, Ana!').waitFor();
  expect(errors.filter((error) => !/sandbox/i.test(error))).toEqual([]);
});
