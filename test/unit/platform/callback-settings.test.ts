import { expect, it } from 'vitest';
import { loadConfig } from '../../../shared/platform/load-config.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const VALID = { sender: 'loans', url: 'https://hooks.example/outcomes?team=1', secret: SECRET };
const readText = (text: string) => loadConfig({ NOTIFICATION_CALLBACKS: text }).notification.callbacks;
const read = (...entries: object[]) => readText(JSON.stringify(entries));

it('reads a callback (N13)', () => {
  const [one] = read(VALID);
  expect(one).toMatchObject({ sender: 'loans', allowPrivate: false });
  expect([one?.url.href, one?.key.length]).toEqual([VALID.url, 24]);
});

const URL_REFUSED = /NOTIFICATION_CALLBACKS\.0\.url: must be an https address without user and password/;

it.each<[object, RegExp]>([
  [{ url: 'http://hooks.example' }, URL_REFUSED],
  [{ url: 'http://127.0.0.1' }, URL_REFUSED],
  [{ url: 'http://hooks.example', allowPrivate: true }, URL_REFUSED],
  [{ url: 'https://user:pass@hooks.example' }, URL_REFUSED],
  [{ url: 'https://0x7f.1/' }, URL_REFUSED],
  [{ url: 'https://[fd00::1]/' }, URL_REFUSED],
  [{ url: 'nothing' }, URL_REFUSED],
  [{ secret: 'whsec_c2hvcnQ=' }, /NOTIFICATION_CALLBACKS\.0\.secret: must be whsec_/],
  [{ sender: 5 }, /\.0\.sender: must be text/],
  [{ url: undefined }, /\.0\.url: is missing; must be text/],
  [{ other: 1 }, /\.0: Unrecognized key: "other"/],
])('refuses %j without its values', (fields, fault) => {
  expect(() => read({ ...VALID, ...fields })).toThrow(fault);
  expect(() => read({ ...VALID, ...fields })).not.toThrow(/whsec_[A-Za-z0-9]|pass@/);
});

it('reports all faults, repeated senders, and text that is not JSON', () => {
  expect(() => read({ ...VALID, sender: 1, secret: 'y' }, { ...VALID, url: 'x' })).toThrow(
    /0\.sender(?:.|\n)*0\.secret(?:.|\n)*1\.url/,
  );
  expect(() => read(VALID, VALID)).toThrow(/must not repeat a sender/);
  expect(() => readText('{"secret": "whsec_x"')).toThrow(/NOTIFICATION_CALLBACKS: must be a list in JSON$/);
});

it('with allowPrivate accepts private addresses, and http on loopback', () => {
  for (const url of ['https://10.0.0.1/', 'http://localhost:8080/', 'https://[fd00::1]/'])
    expect(read({ ...VALID, url, allowPrivate: true })[0]?.url.href).toBe(url);
});
