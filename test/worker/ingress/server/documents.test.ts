import { createHash } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import type { Documents } from '../../../../workers/ingress/server/documents.ts';
import { openTestIngress, postEcho, startTestIngress } from '../../../support/worlds/ingress-fixture.ts';

it.each([
  ['/openapi.json', 'application/json; charset=utf-8', '{"openapi":"3.1.0"}'],
  ['/asyncapi.json', 'application/json; charset=utf-8', '{"asyncapi":"3.0.0"}'],
  ['/docs', 'text/html; charset=utf-8', '<!doctype html><style>p{}</style><p>Docs'],
])('documents serves %s with an entity tag', async (path, type, body) => {
  const ingress = await openTestIngress();
  const response = await fetch(ingress.url + path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await response.text()).toBe(body);
  const etag = response.headers.get('etag') ?? '';
  for (const tags of [etag, `"other", ${etag}`, '*']) {
    const again = await fetch(ingress.url + path, { headers: { 'if-none-match': tags } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  }
  for (const [accepted, coding] of [
    ['br, gzip', 'gzip'],
    ['gzip;q=0', null],
    ['identity', null],
  ] as const) {
    const coded = await fetch(ingress.url + path, { headers: { 'accept-encoding': accepted } });
    expect([coded.headers.get('content-encoding'), await coded.text()]).toEqual([coding, body]);
    expect([coded.headers.get('vary'), coded.headers.get('etag')]).toEqual(['accept-encoding', etag]);
  }
  const changed = await fetch(ingress.url + path, { headers: { 'if-none-match': '"other"' } });
  expect(changed.status).toBe(200);
  const head = await fetch(ingress.url + path, { method: 'HEAD' });
  expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag]);
});

it('documents are loaded and rendered on their first request, once', async () => {
  const openApiJson = vi.fn<() => string>(() => '{}');
  const other = vi.fn<() => string>(() => '');
  const load = vi.fn<() => Promise<Documents>>();
  const { url } = await startTestIngress({
    documents: load.mockResolvedValue({ openApiJson, asyncApiJson: other, docsPage: other }),
  });
  expect(load).not.toHaveBeenCalled();
  for (const _ of [1, 2]) expect(await (await fetch(`${url}/openapi.json`)).text()).toBe('{}');
  expect(openApiJson).toHaveBeenCalledTimes(1);
  expect(other).not.toHaveBeenCalled();
});

it('the documentation allows only own styles; a browser gets the workbench once', async () => {
  const { url } = await openTestIngress();
  const policy = (await fetch(`${url}/docs`)).headers.get('content-security-policy');
  const hash = createHash('sha256').update('p{}').digest('base64');
  const parts = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "script-src 'none'",
    "frame-ancestors 'none'",
  ];
  for (const part of parts) expect(policy).toContain(part);
  const root = await fetch(url, { redirect: 'manual' });
  expect([root.status, root.headers.get('location')]).toEqual([302, '/workbench']);
  const etag = (await fetch(`${url}/workbench`)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]+"$/);
  for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, `"other" , W/${etag}`, '*', '"other"']) {
    const response = await fetch(`${url}/workbench`, { headers: { 'if-none-match': tags } });
    expect([tags, response.status]).toEqual([tags, tags === '"other"' ? 200 : 304]);
  }
});

it('metrics count requests by action and status, and never by values from the caller', async () => {
  const ingress = await openTestIngress();
  await postEcho(ingress, {});
  await postEcho(ingress, { bad: 1 });
  await fetch(`${ingress.url}/platapi/automation-processors/actions/made-up`, { method: 'POST' });
  const response = await fetch(`${ingress.url}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await response.text();
  for (const labels of ['"PLAT_BP_Echo",status="200"', '"PLAT_BP_Echo",status="400"', '"other",status="404"'])
    expect(text).toContain(`plat_http_request_duration_seconds_count{action=${labels}} 1\n`);
  for (const gauge of ['pending_replies', 'results']) expect(text).toContain(`\nplat_ingress_${gauge} 0\n`);
  expect(text).not.toContain('made-up');
});
