/** The OpenAPI document that the types of the client are generated from, and the mark by which a test knows it. */
import { createHash } from 'node:crypto';
import { openApiDocument } from '../../shared/contract/documents/openapi/openapi.ts';

/** The document without what differs between releases and installations. */
export function clientDocument(): object {
  return openApiDocument({ version: '0.0.0', basePath: '' });
}

/** The line that the generated file contains if it was generated from this document. */
export function documentMark(): string {
  return `Document: sha256 ${createHash('sha256').update(JSON.stringify(clientDocument())).digest('hex')}`;
}
