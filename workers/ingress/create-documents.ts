import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { asyncApiDocument } from '../../shared/api/documents/asyncapi.ts';
import { docsPage } from '../../shared/api/documents/page/docs-page.ts';
import { openApiDocument } from '../../shared/api/documents/openapi.ts';
import type { Config } from '../../shared/platform/load-config.ts';
import type { Documents } from './server/documents.ts';
import { loadBundle } from './workbench/bundle.ts';

const RULINGS = new URL('../../docs/rulings.md', import.meta.url);
const TOKENS = new URL('workbench/app/design/tokens.css', import.meta.url);
const GUIDE = new URL('../../shared/api/documents/page/guide.md', import.meta.url);

export function createDocuments(config: Config): Documents {
  const { topicPrefix, http, kafka, notification, replyTimeoutMs } = config;
  const { version } = packageJson;
  const broker = kafka?.brokers[0];
  return {
    openApiJson: () => JSON.stringify(openApiDocument(version)),
    asyncApiJson: () => JSON.stringify(asyncApiDocument({ version, topicPrefix, broker })),
    docsPage: async () =>
      docsPage({
        version,
        topicPrefix,
        limits: {
          bodyBytes: http.bodyLimitBytes,
          emailBodyBytes: notification.emailBodyLimitBytes,
          requestsPerSecond: http.rateLimitPerSecond,
          replyTimeoutMs,
        },
        rulings: readFileSync(RULINGS, 'utf8'),
        guide: readFileSync(GUIDE, 'utf8'),
        tokens: readFileSync(TOKENS, 'utf8'),
        script: (await loadBundle()).docsScript,
      }),
  };
}
