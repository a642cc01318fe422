/** Which addresses a callback may reach (N13): none of the own machine or network, so that no setting or DNS name can probe it. */

import { lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `address` is an IPv4 or IPv6 address without brackets. Those that embed an IPv4 address, such as `::10.0.0.1`, are not public. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.parse(address).range() === 'unicast' && !address.startsWith('::');
}

/** Resolves a name when a connection is made. The connection uses what was checked, so a name cannot change in between. */
export function createPublicLookup(resolve: typeof lookUp = lookUp): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const found = error === null ? addresses.filter(({ address }) => isPublicAddress(address)) : [];
      const [first] = found;
      if (first === undefined)
        callback(error ?? Object.assign(new Error('no public address'), { code: 'NOT_PUBLIC' }), '');
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}
