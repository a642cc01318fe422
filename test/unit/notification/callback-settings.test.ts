import { expect, it } from 'vitest';
import { CALLBACK_STATUSES, readCallbackSettings } from '../../../shared/notification/callback-settings.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const VALID = { sender: 'loans', url: 'https://hooks.example/outcomes?team=1', secret: SECRET };
const read = (...entries: object[]) => readCallbackSettings(JSON.stringify(entries));

it('reads a callback with all final states as the default (N13)', () => {
  const [one] = read(VALID);
  expect(one).toMatchObject({ sender: 'loans', allowPrivate: false });
  expect([one?.url.href, one?.key.length, [...(one?.statuses ?? [])]]).toEqual([
    VALID.url,
    24,
    [...CALLBACK_STATUSES],
  ]);
  expect([...(read({ ...VALID, statuses: ['failed'] })[0]?.statuses ?? [])]).toEqual(['failed']);
});

it.each<[object, RegExp]>([
  [{ url: 'http://hooks.example' }, /\[0\]\.url must be an https/],
  [{ url: 'http://127.0.0.1' }, /must be an https/],
  [{ url: 'http://hooks.example', allowPrivate: true }, /must be an https/],
  [{ url: 'https://user:pass@hooks.example' }, /must not contain a user or password/],
  [{ url: 'https://0x7f.1/' }, /must not be a private address without allowPrivate/],
  [{ url: 'https://[fd00::1]/' }, /must not be a private address/],
  [{ url: 'nothing' }, /\[0\]\.url must be an https address/],
  [{ secret: 'whsec_c2hvcnQ=' }, /\[0\]\.secret must be whsec_/],
  [{ sender: 5 }, /\[0\]\.sender must be text/],
  [{ statuses: ['sending'] }, /\[0\]\.statuses\[0\] must be one of sent/],
  [{ statuses: [] }, /\[0\]\.statuses must have at least one/],
  [{ url: undefined }, /\[0\]\.url is missing; must be text/],
  [{ other: 1 }, /\[0\] has an unknown setting/],
])('refuses %j without its values', (fields, fault) => {
  expect(() => read({ ...VALID, ...fields })).toThrow(fault);
  expect(() => read({ ...VALID, ...fields })).not.toThrow(/whsec_[A-Za-z0-9]|pass@/);
});

it('reports all faults, repeated senders, and text that is not JSON', () => {
  expect(() => read({ ...VALID, url: 'x', secret: 'y' })).toThrow(/secret must(?:.|\n)*url must/);
  expect(() => read(VALID, VALID)).toThrow(/must not repeat a sender/);
  expect(() => readCallbackSettings('{"secret": "whsec_x"')).toThrow(/must be valid JSON$/);
});

it('with allowPrivate accepts private addresses, and http on loopback', () => {
  for (const url of ['https://10.0.0.1/', 'http://localhost:8080/', 'https://[fd00::1]/'])
    expect(read({ ...VALID, url, allowPrivate: true })[0]?.url.href).toBe(url);
});
