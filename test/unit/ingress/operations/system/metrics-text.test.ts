import { expect, it } from 'vitest';
import { parseSamples } from '../../../../../workers/ingress/operations/system/metrics-text.ts';
import { createMetrics } from '../../../../../shared/platform/metrics.ts';

const MANY = 1_000;

function filled() {
  const metrics = createMetrics();
  metrics.gauge('open', 'help', ['name']).set({ name: 'a "quoted"\nname, with \\ and {}=' }, 0.5);
  metrics.counter('calls', 'help').inc(12_345_678_901);
  metrics.duration('took', 'help', ['action']).labels('x').observe(0.3);
  metrics.gauge('other', 'help').set(1);
  return metrics;
}

it('parsed text has the same samples as the process that wrote it', async () => {
  const metrics = filled();
  const names = ['open', 'calls', 'took', 'unknown'];
  const samples = await metrics.samples(names);
  expect(samples).toContainEqual({
    name: 'open',
    labels: { name: 'a "quoted"\nname, with \\ and {}=' },
    value: 0.5,
  });
  expect(samples).toContainEqual({ name: 'took_bucket', labels: { action: 'x', le: '+Inf' }, value: 1 });
  expect(new Set(parseSamples(await metrics.text(names), MANY))).toEqual(new Set(samples));
});

it('a scrape for some names contains only these metrics and runs no collector', async () => {
  const metrics = filled();
  let scrapes = 0;
  metrics.onScrape(() => (scrapes += 1));
  const text = await metrics.text(['calls']);
  expect(text).toBe('# HELP calls help\n# TYPE calls counter\ncalls 12345678901\n');
  await metrics.samples(['calls']);
  expect(scrapes).toBe(0);
  expect(await metrics.text()).toContain('other 1');
  expect(scrapes).toBe(1);
});

it('lines that cannot be read are left out, and no more samples are kept than allowed', () => {
  const text = 'ok 1\nbad\n{} 3\nnan x\nalso{a="b"} 2 1700000000000\nmore 3\n';
  expect(parseSamples(text, MANY).map(({ name }) => name)).toEqual(['ok', 'also', 'more']);
  expect(parseSamples(text, 2)).toHaveLength(2);
});

it('labels are read up to the first that cannot be, however long it is', () => {
  const [sample] = parseSamples(`ok{a="b", c="d",${'e'.repeat(200_000)}} 1`, MANY);
  expect(sample?.labels).toEqual({ a: 'b', c: 'd' });
});
