import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { findFramingFault } from '../../../../workers/ingress/server/app.ts';

const HOST = ['a'];

it.each([
  ['1.1', HOST, undefined, undefined],
  ['1.1', HOST, 'Chunked', undefined],
  ['1.0', HOST, undefined, undefined],
  ['1.0', [], undefined, undefined],
  ['2.0', HOST, undefined, 'Send HTTP/1.1.'],
  ['0.9', HOST, undefined, 'Send HTTP/1.1.'],
  ['1.1', [], undefined, 'Send a Host header.'],
  ['1.1', [...HOST, 'b'], undefined, 'Send one Host header.'],
  ['1.0', [...HOST, ...HOST], undefined, 'Send one Host header.'],
  ['1.0', HOST, 'Chunked', 'HTTP/1.0 has no transfer coding.'],
  ['1.1', HOST, 'gzip, chunked', 'The only transfer coding is chunked.'],
])(
  'finds the framing fault of HTTP/%s with hosts %j and transfer coding %s',
  (version, hosts, coding, fault) => {
    const [major, minor] = version.split('.').map(Number);
    const headers = coding === undefined ? {} : { 'transfer-encoding': coding };
    const headersDistinct = hosts.length === 0 ? {} : { host: hosts };
    const request = { httpVersionMajor: major, httpVersionMinor: minor, headersDistinct, headers };
    expect(findFramingFault(request as unknown as IncomingMessage)).toBe(fault);
  },
);
