import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../shared/messaging/reply.ts';
import { EMAIL, send, SMS } from '../../support/builders/notification-call.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { createFakeRequester } from '../../support/fakes/requester.ts';
import { tokenAccess } from '../../support/fakes/token-access.ts';
import {
  openNotificationIngress,
  openTestIngress,
  postEcho,
  type IngressSettings,
} from '../../support/worlds/ingress-fixture.ts';

const as = (token: string) => ({ authorization: `Bearer ${token}` });

/** An ingress with memory for 10,000 bytes, whose worker replies when `reply` is called. */
async function openSilentIngress(settings: IngressSettings = {}) {
  const replied = Promise.withResolvers<Reply>();
  const requester = createFakeRequester(() => replied.promise);
  const options = { actionBodyBytes: 10_000, bodyLimitBytes: 2_500 };
  const ingress = await openTestIngress({ requester, access: tokenAccess(), options, ...settings });
  return {
    ingress,
    requester,
    reply: () => replied.resolve({ kind: 'reply', type: 'EchoReply', payload: {} }),
  };
}

describe('bodies of actions', () => {
  it('take a limited amount of memory, half of which is for one caller; beyond it the response is 503', async () => {
    const scene = await openSilentIngress();
    const large = { text: 'x'.repeat(2_300) };
    const waiting: Promise<Response>[] = [];
    const fill = async (token: string): Promise<void> => {
      for (let sent = 0; sent < 2; sent += 1) {
        waiting.push(postEcho(scene.ingress, large, as(token)));
        await expect.poll(() => scene.requester.requests.length).toBe(waiting.length);
      }
    };
    await fill('one');
    expect((await postEcho(scene.ingress, large, as('one'))).status).toBe(503);
    await fill('two');
    const refused = await postEcho(scene.ingress, large, as('three'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ code: 'overloaded' });
    scene.reply();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await postEcho(scene.ingress, large, as('one'))).status).toBe(200);
  });
});

describe('bodies of e-mails', () => {
  it('leave room for other callers and for SMS', async () => {
    const published = Promise.withResolvers<void>();
    const publisher = new FakePublisher();
    let started = 0;
    publisher.onPublish = () => {
      started += 1;
      return published.promise;
    };
    // 90,000 bytes are for e-mails.
    const options = { notificationBodyBytes: 100_000, emailBodyLimitBytes: 30_000, bodyLimitBytes: 4_000 };
    const { url } = await openNotificationIngress({
      notificationPublisher: publisher,
      access: tokenAccess(),
      options,
    });
    const waiting: Promise<Response>[] = [];
    const email = (token: string, characters = 22_000) =>
      send(url, 'email', { ...EMAIL, message: 'x'.repeat(characters) }, { headers: as(token) });
    const sms = (token: string) => send(url, 'sms', { ...SMS, message: 'x' }, { headers: as(token) });
    const fill = async (call: Promise<Response>): Promise<void> => {
      waiting.push(call);
      await expect.poll(() => started).toBe(waiting.length);
    };
    await fill(email('one'));
    await fill(email('one'));
    expect((await email('one')).status).toBe(503);
    await fill(email('two'));
    await fill(email('two'));
    expect((await email('three', 8_000)).status).toBe(503);
    await fill(sms('one'));
    published.resolve();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(202);
  });
});
