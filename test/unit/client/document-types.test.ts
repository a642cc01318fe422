import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentMark } from '../../../scripts/client-types/client-document.ts';
import { ACTION_NAMES } from '../../../shared/client/actions.ts';
import { ACTIONS } from '../../../shared/contract/actions/actions.ts';

const CLIENT = path.resolve(import.meta.dirname, '../../../shared/client');

describe('the client', () => {
  it('has the types of this OpenAPI document; otherwise run `npm run client-types`', () => {
    expect(readFileSync(path.join(CLIENT, 'document-types.ts'), 'utf8')).toContain(documentMark());
  });

  it('has a method for each action', () => {
    expect(Object.values(ACTION_NAMES)).toEqual(ACTIONS.map(({ name }) => name));
  });
});
