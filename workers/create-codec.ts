import { MESSAGE_FORMS } from '../shared/api/actions/message-forms.ts';
import { createMessageCodec, type MessageCodec } from '../shared/messaging/codec/message-codec.ts';
import type { Clock } from '../shared/platform/system-ports.ts';
import type { Config } from '../shared/platform/load-config.ts';

/** Creates the codec of all messages, with the configured schema registry or else the local schema ids. */
export async function createCodec(
  config: Pick<Config, 'schemaRegistry'>,
  clock: Clock,
): Promise<MessageCodec> {
  const { url, username, password } = config.schemaRegistry;
  if (url === undefined) return createMessageCodec({ shapes: MESSAGE_FORMS, clock });
  const { createSchemaRegistry } = await import('../shared/messaging/codec/schema-registry.ts');
  const registry = createSchemaRegistry({ url, username, password });
  return createMessageCodec({ shapes: MESSAGE_FORMS, clock, registry });
}
