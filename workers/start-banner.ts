import { isLoopback } from '../shared/platform/host-names.ts';
import type { Config } from '../shared/platform/load-config.ts';

const PRINTED_TOKEN_MS = 900_000;
const OWN_TOKEN = "# a token: TOKEN=$(npm run --silent token -- --scope 'operations:read operations:write')";
const TOKEN_OF_ISSUER = '# TOKEN stands for an access token of your issuer';

/** Renders the output of a successful start: addresses and example calls. */
export async function renderStartBanner(options: {
  config: Config;
  names: readonly string[];
  url: string | undefined;
  healthUrl: string | undefined;
  startMs: number;
  nowMs: number;
}): Promise<string> {
  const { config, names, url } = options;
  const { dataFolder } = config;
  const kept = dataFolder === undefined ? 'nothing is kept across restarts' : `messages in ${dataFolder}`;
  const broker =
    config.kafka === undefined
      ? `embedded broker (one process, ${kept}; set KAFKA_BROKERS for Kafka)`
      : `Kafka at ${config.kafka.brokers.join(', ')}`;
  const lines = [`Ready in ${Math.round(options.startMs)} ms: ${names.join(', ')}; ${broker}`];
  if (options.healthUrl !== undefined) lines.push(`Health and metrics: ${options.healthUrl}/health/ready`);
  if (url === undefined) return `${lines.join('\n')}\n`;
  lines.push(`Open ${url}/workbench in a browser, or paste one of these calls:`);
  const { jwtSecret, jwksUrl } = config.auth;
  const isGuarded = (jwtSecret ?? jwksUrl) !== undefined;
  const access = isGuarded ? `-H "authorization: Bearer ${await printedToken(config, options.nowMs)}" ` : '';
  if (isGuarded) lines.push(jwtSecret === undefined ? TOKEN_OF_ISSUER : OWN_TOKEN);
  lines.push('', ...(await renderActionCalls(config, url, access)));
  if (names.includes('notification')) lines.push(...(await renderNotificationCalls(config, url, access)));
  lines.push(`# documentation: ${url}/docs   health: ${url}/health/ready   metrics: ${url}/metrics`, '');
  return `${lines.join('\n')}\n`;
}

/** Loads the definitions of the actions only here, because only a process with an ingress needs them. */
async function renderActionCalls(config: Config, url: string, access: string): Promise<string[]> {
  const { ACTIONS } = await import('../shared/api/actions/actions.ts');
  const isExampleCatalogue = config.kafka === undefined && config.lending.catalogueFolder === undefined;
  const calls: readonly (readonly [name: string, extra?: string, summary?: string])[] = [
    ['PLAT_BP_CalculateRepaymentSchedule'],
    [
      'PLAT_BP_CalculateRepaymentSchedule',
      "-H 'prefer: respond-async' ",
      'the same as an asynchronous request',
    ],
    ['PLAT_BP_CalculatePMT'],
    ...(isExampleCatalogue ? ([['plat_bp_getbankingproductbycode'], ['PLAT_BP_Simulate']] as const) : []),
  ];
  return calls.flatMap(([name, extra = '', summary]) =>
    ACTIONS.filter((action) => action.name === name).flatMap(({ examples: [example] }) => [
      `# ${summary ?? example.summary}`,
      `curl -s ${extra}${access}${url}/platapi/automation-processors/actions/${name} ` +
        `-H 'content-type: application/json' \\\n  -d '${JSON.stringify(example.request)}'`,
      '',
    ]),
  );
}

/** A token only if HOST is loopback: elsewhere the output may go to a log, which must hold no secrets. */
async function printedToken({ auth, http }: Config, issuedAtMs: number): Promise<string> {
  if (auth.jwtSecret === undefined || !isLoopback(http.host)) return '$TOKEN';
  const { signToken } = await import('./ingress/access/sign-token.ts');
  const claims = { subject: 'demo', scope: '', issuedAtMs, lifetimeMs: PRINTED_TOKEN_MS };
  return signToken(auth, auth.jwtSecret, claims);
}

async function renderNotificationCalls(config: Config, url: string, access: string): Promise<string[]> {
  const { default: examples } = await import('../shared/api/notification/examples.json', {
    with: { type: 'json' },
  });
  const send = (channel: string, number: number, body: object): string =>
    `curl -s ${access}${url}/api/notifications/v1/${channel}/send -H 'x-communication-channel: ${number}' ` +
    `-H 'x-sender-id: platrealm' -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
  const isLocal = config.kafka === undefined && config.notification.configFile === undefined;
  const calls = [
    '# an SMS',
    send('sms', 1, examples.sms),
    '',
    '# an e-mail',
    send('email', 2, examples.email),
    '',
  ];
  const outbox = `# sent notifications, since no provider is configured: ${url}/workbench/messages/outbox`;
  return isLocal ? [...calls, outbox, ''] : calls;
}
