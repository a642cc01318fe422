import type { lookup } from 'node:dns';
import { expect, it } from 'vitest';
import { createPublicLookup, isPublicAddress } from '../../../shared/platform/public-address.ts';

const PRIVATE = `127.0.0.1 10.1.2.3 172.31.255.255 192.168.0.1 169.254.169.254 0.0.0.0 100.64.0.1 224.0.0.1
  255.255.255.255 :: ::1 fd00::1 fe80::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 ::a00:1 198.18.0.1 240.0.0.1 64:ff9b::a00:1 2002:a00:1::`;

it.each(PRIVATE.split(/\s+/))('%s is not reached by a callback (N13)', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])('%s is reached', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

function lookedUp(addresses: readonly string[], all: boolean) {
  const resolve = ((_host: string, _options: object, callback: (error: null, found: object[]) => void) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as typeof lookup;
  return new Promise((settle) => {
    createPublicLookup(resolve)('hooks.example', { all }, (error, address) => settle(error?.code ?? address));
  });
}

it('a name is connected to its public addresses only, and refused without one', async () => {
  expect(await lookedUp(['10.0.0.1', '8.8.8.8'], true)).toEqual([{ address: '8.8.8.8', family: 4 }]);
  expect(await lookedUp(['10.0.0.1', '8.8.8.8'], false)).toBe('8.8.8.8');
  expect(await lookedUp(['10.0.0.1', 'fd00::1'], true)).toBe('NOT_PUBLIC');
  expect(await lookedUp([], false)).toBe('NOT_PUBLIC');
});
