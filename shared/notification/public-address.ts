/** Which addresses a callback may reach (N13): none of the own machine or network, so that no setting or DNS name can probe it. */

import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Loopback, private, link-local, shared, reserved and multicast addresses, and those that embed an IPv4 address. Mapped ones are checked as IPv4. */
const REFUSED = {
  ipv4:
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 ' +
    '198.18.0.0/15 224.0.0.0/4 240.0.0.0/4',
  ipv6: '::/96 64:ff9b::/96 2002::/16 fc00::/7 fe80::/10 ff00::/8',
} as const;

const refused = new BlockList();
for (const family of ['ipv4', 'ipv6'] as const) {
  for (const subnet of REFUSED[family].split(' ')) {
    const [network = '', bits] = subnet.split('/');
    refused.addSubnet(network, Number(bits), family);
  }
}

/** `address` is an IPv4 or IPv6 address without brackets. */
export function isPublicAddress(address: string): boolean {
  return !refused.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** Resolves a name when a connection is made. The connection uses what was checked, so a name cannot change in between. */
export function createPublicLookup(resolve: typeof lookUp = lookUp): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const found = error === null ? addresses.filter(({ address }) => isPublicAddress(address)) : [];
      const [first] = found;
      if (first === undefined) {
        const refusal = Object.assign(new Error('no public address'), { code: 'NOT_PUBLIC' });
        return callback(error ?? refusal, '');
      }
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}
