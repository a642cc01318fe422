import type {
  Placeholder,
  Repeated,
  TemplateNode,
  TemplatePart,
} from '../../../../shared/notification/payload-template.ts';
import { assertNever } from '../../../../shared/platform/errors.ts';
import type { FilePart, MessageValues } from './message-values.ts';

/** A template with its values in place. */
export type Rendered =
  | string
  | number
  | boolean
  | null
  | FilePart
  | readonly Rendered[]
  | { readonly [name: string]: Rendered };

/** What placeholders stand for at one place: a file within a repeated item, else texts. */
interface Scope {
  readonly texts: ReadonlyMap<Placeholder, string>;
  readonly file: FilePart | undefined;
}

/**
 * Puts values into a template. What has no value leaves its place out: a member or an item that is one placeholder alone,
 * and a list or an object of which nothing is left by that. Values are never searched for placeholders.
 */
export function renderPayload(node: TemplateNode, values: MessageValues): Rendered | undefined {
  return render(node, values, { texts: values.texts, file: undefined });
}

function render(node: TemplateNode, values: MessageValues, scope: Scope): Rendered | undefined {
  switch (node.kind) {
    case 'constant':
      return node.value;
    case 'text':
      return renderText(node.parts, scope);
    case 'list': {
      const items = node.items.flatMap((item) =>
        scopesOf(item.repeatedFor, values, scope).map((inner) => render(item.node, values, inner)),
      );
      const kept = items.filter((item) => item !== undefined);
      return kept.length === 0 && node.items.length > 0 ? undefined : kept;
    }
    case 'object': {
      const members = node.members.flatMap(({ name, node: member }) => {
        const value = render(member, values, scope);
        return value === undefined ? [] : [[name, value] as const];
      });
      return members.length === 0 && node.members.length > 0 ? undefined : Object.fromEntries(members);
    }
    default:
      return assertNever(node);
  }
}

function renderText(parts: readonly TemplatePart[], scope: Scope): Rendered | undefined {
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') {
    return only.placeholder === 'ATTACHMENT' ? scope.file : scope.texts.get(only.placeholder);
  }
  return fillText(parts, (name) => scope.texts.get(name));
}

/** A text with its values, of which those that are missing are empty. */
export function fillText(
  parts: readonly TemplatePart[],
  valueOf: (name: Placeholder) => string | undefined,
): string {
  return parts.map((part) => (typeof part === 'string' ? part : (valueOf(part.placeholder) ?? ''))).join('');
}

/** One scope for each repetition of an item. */
function scopesOf(repeatedFor: Repeated | undefined, values: MessageValues, scope: Scope): readonly Scope[] {
  switch (repeatedFor) {
    case undefined:
      return [scope];
    case 'CC':
      return values.cc.map((address) => ({ ...scope, texts: new Map(scope.texts).set('CC', address) }));
    case 'BCC':
      return values.bcc.map((address) => ({ ...scope, texts: new Map(scope.texts).set('BCC', address) }));
    case 'ATTACHMENT':
      return values.files.map((file) => ({
        file,
        texts: new Map(scope.texts)
          .set('ATTACHMENT_NAME', file.fileName)
          .set('ATTACHMENT_TYPE', file.mediaType)
          .set('ATTACHMENT_CONTENT', file.content.toString('base64')),
      }));
    default:
      return assertNever(repeatedFor);
  }
}
