import { findAction } from '../../../shared/api/actions/actions.ts';

/** The worked examples of an action, the main one first. */
export function examplesOf(name: string) {
  const action = findAction(name);
  if (action === undefined) throw new Error(`there is no action ${name}`);
  return action.examples;
}
