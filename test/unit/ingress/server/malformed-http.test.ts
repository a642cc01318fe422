import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { findFramingFault } from '../../../../workers/ingress/server/malformed-http.ts';

const faultOf = (
  version: string,
  rawHeaders: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): string | undefined => {
  const [major = '', minor = ''] = version.split('.');
  const request = { httpVersionMajor: Number(major), httpVersionMinor: Number(minor), rawHeaders, headers };
  return findFramingFault(request as unknown as IncomingMessage);
};
const HOST = ['Host', 'a'];
const chunked = { 'transfer-encoding': 'Chunked' };

it('a request with one Host header and no transfer coding but chunked has no framing fault', () => {
  expect(faultOf('1.1', HOST)).toBeUndefined();
  expect(faultOf('1.1', ['Accept', 'host', ...HOST], chunked)).toBeUndefined();
  expect(faultOf('1.0', HOST)).toBeUndefined();
  expect(faultOf('1.0', [])).toBeUndefined();
});

it('every other framing has a fault of its own', () => {
  expect(faultOf('2.0', HOST)).toBe('Send HTTP/1.1.');
  expect(faultOf('0.9', HOST)).toBe('Send HTTP/1.1.');
  expect(faultOf('1.1', [])).toBe('Send a Host header.');
  expect(faultOf('1.1', ['Hosts', 'a', 'X-Ho', 'b'])).toBe('Send a Host header.');
  expect(faultOf('1.1', [...HOST, 'hOST', 'b'])).toBe('Send one Host header.');
  expect(faultOf('1.0', [...HOST, ...HOST])).toBe('Send one Host header.');
  expect(faultOf('1.0', HOST, chunked)).toBe('HTTP/1.0 has no transfer coding.');
  expect(faultOf('1.1', HOST, { 'transfer-encoding': 'gzip, chunked' })).toBe(
    'The only transfer coding is chunked.',
  );
});
