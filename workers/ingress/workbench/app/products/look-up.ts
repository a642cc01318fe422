import { callJson } from '../api.ts';

/** Calls an action that has its fields at the top level of the body: look-ups and simulation. */
export function lookUp<Reply>(action: string, body: object, signal?: AbortSignal): Promise<Reply> {
  return callJson<Reply>(`/platapi/automation-processors/actions/${action}`, {
    method: 'POST',
    body,
    signal,
  });
}
