import type { z } from 'zod';
import { actionInput, FORM_MEMBERS } from './generic-form.ts';
import { unknownMemberFault } from './unknown-fields.ts';
import { limitFaults } from './faults.ts';
import type { ReadRequest } from './request-contract.ts';

/**
 * Makes the reader of an action's body from the reader of its input: accepts the direct and the generic form (E2);
 * warnings about the form come first.
 */
export function readEitherForm<Payload>(
  shape: z.ZodObject,
  readInput: (input: unknown) => ReadRequest<Payload>,
): (body: unknown) => ReadRequest<Payload> {
  const inputMembers: ReadonlySet<string> = new Set(Object.keys(shape.shape));
  return (body) => {
    const form = actionInput(body, inputMembers);
    if (form.kind === 'invalid') return form;
    const read = readInput(form.input);
    if (form.warnings.length === 0) return read;
    if (read.kind === 'invalid') {
      const unknown = form.warnings.map(({ path }) => unknownMemberFault(path, path, FORM_MEMBERS));
      return { ...read, faults: limitFaults([...read.faults, ...unknown]) };
    }
    return { ...read, warnings: [...form.warnings, ...read.warnings] };
  };
}
