import { expect, it } from 'vitest';
import { consumerMetrics } from '../../../shared/messaging/handler/consumer-metrics.ts';
import { createMetrics, shareScrapeTexts } from '../../../shared/platform/metrics.ts';
import { createNotificationMetrics } from '../../../workers/notification/notification-metrics.ts';

const ONE = 'plat_ingress_unknown_replies';
const TWO = 'plat_ingress_timed_out_replies';

function openTexts() {
  const metrics = createMetrics();
  const one = metrics.counter(ONE);
  metrics.counter(TWO);
  const timers: (() => void)[] = [];
  const read: unknown[] = [];
  const text = (names?: readonly string[]) => {
    read.push(names);
    return metrics.text(names);
  };
  const schedule = (callback: () => void, afterMs: number) => {
    expect(afterMs).toBe(25);
    timers.push(callback);
    return () => undefined;
  };
  const scrape = shareScrapeTexts({ text }, { schedule });
  const expire = (): void => {
    for (const callback of timers.splice(0)) callback();
  };
  return { metrics, one, read, scrape, expire };
}

it('scrapes within 25 ms share the text of each metric, empty for unknown names', async () => {
  const { metrics, scrape, read } = openTexts();
  for (const names of [undefined, [ONE], [TWO, ONE], [ONE, 'other'], ['other']]) {
    expect(await scrape(names)).toBe(await metrics.text(names));
  }
  expect(read).toEqual([undefined, [ONE], [TWO], ['other']]);
  for (const name of ['other', '', ...Object.getOwnPropertyNames(Object.prototype)]) {
    expect([name, await metrics.text([name])]).toEqual([name, '\n']);
  }
});

it('a later scrape has the values of then', async () => {
  const { one, scrape, expire } = openTexts();
  expect(await scrape([ONE])).toContain(`${ONE} 0`);
  one.inc();
  expire();
  expect(await scrape([ONE])).toContain(`${ONE} 1`);
});

it('notifications and dead letters have a limited number of codes as labels', async () => {
  const metrics = createMetrics();
  const notifications = createNotificationMetrics(metrics);
  const consumer = consumerMetrics(metrics, 'notification');
  for (let code = 0; code < 600; code += 1) {
    notifications.onOutcome('sms', 'failed', `http-400-${code}`);
    consumer.onDeadLetter(`http-400-${code}`);
  }
  notifications.onOutcome('sms', 'failed', 'http-400-0');
  for (const name of ['plat_notification_outcomes_total', 'plat_dead_letters_total']) {
    const samples = (await metrics.text([name])).split('\n').filter((line) => line.startsWith(`${name}{`));
    const valueOf = (code: string) =>
      samples
        .find((line) => line.includes(`"${code}"`))
        ?.split(' ')
        .at(-1);
    expect([samples.length, valueOf('other'), valueOf('http-400-500')]).toEqual([501, '100', undefined]);
  }
});
