import { isLoopback } from '../shared/platform/host-names.ts';
import type { Config } from '../shared/platform/load-config.ts';

const PRINTED_TOKEN_MS = 900_000;
/** The printed calls of actions, each with its first example; the later ones need the example catalogue. */
const SCHEDULE_ACTION = 'PLAT_BP_CalculateRepaymentSchedule';
const STANDALONE_ACTIONS = [SCHEDULE_ACTION, 'PLAT_BP_CalculatePMT'];
const CATALOGUE_ACTIONS = ['plat_bp_getbankingproductbycode', 'PLAT_BP_Simulate'];

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
  const token = (await printedToken(config, options.nowMs)) ?? '$TOKEN';
  const access = isGuarded ? `-H "authorization: Bearer ${token}" ` : '';
  if (isGuarded) lines.push(jwtSecret === undefined ? TOKEN_OF_ISSUER : OWN_TOKEN);
  lines.push('', ...(await renderActionCalls(config, url, access)));
  if (names.includes('notification')) lines.push(...(await renderNotificationCalls(config, url, access)));
  lines.push(`# documentation: ${url}/docs   health: ${url}/health/ready   metrics: ${url}/metrics`, '');
  return `${lines.join('\n')}\n`;
}

/** Loaded here, since only a process with an ingress needs the definitions of the actions. */
async function renderActionCalls(config: Config, url: string, access: string): Promise<string[]> {
  const { ACTIONS } = await import('../shared/api/actions/actions.ts');
  const isExampleCatalogue = config.kafka === undefined && config.lending.catalogueFolder === undefined;
  const names = [...STANDALONE_ACTIONS, ...(isExampleCatalogue ? CATALOGUE_ACTIONS : [])];
  const callOf = (name: string, summary: string | undefined, extra: string): string[] =>
    ACTIONS.filter((action) => action.name === name).flatMap(({ examples: [example] }) => [
      `# ${summary ?? example.summary}`,
      `curl -s ${extra}${access}${url}/platapi/automation-processors/actions/${name} ` +
        `-H 'content-type: application/json' \\\n  -d '${JSON.stringify(example.request)}'`,
      '',
    ]);
  const later = callOf(SCHEDULE_ACTION, 'the same as an asynchronous request', "-H 'prefer: respond-async' ");
  return names.flatMap((name) => [
    ...callOf(name, undefined, ''),
    ...(name === SCHEDULE_ACTION ? later : []),
  ]);
}

/** A token for the printed calls. On other addresses than loopback the output may go to a log, which holds no secrets. */
async function printedToken({ auth, http }: Config, nowMs: number): Promise<string | undefined> {
  if (auth.jwtSecret === undefined || !isLoopback(http.host)) return undefined;
  const { signToken } = await import('./ingress/access/sign-token.ts');
  const times = { issuedAtMs: nowMs, lifetimeMs: PRINTED_TOKEN_MS };
  return signToken(auth, auth.jwtSecret, { subject: 'demo', scope: '', ...times });
}

async function renderNotificationCalls(config: Config, url: string, access: string): Promise<string[]> {
  const { default: examples } = await import('../shared/api/notification/examples.json', {
    with: { type: 'json' },
  });
  const send = (channel: string, number: number, body: object): string =>
    `curl -s ${access}${url}/api/notifications/v1/${channel}/send -H 'x-communication-channel: ${number}' ` +
    `-H 'x-sender-id: platrealm' -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
  const isLocal = config.kafka === undefined && config.notification.configFile === undefined;
  const outbox = isLocal
    ? [`# sent notifications, since no provider is configured: ${url}/workbench/messages/outbox`, '']
    : [];
  return [
    '# an SMS',
    send('sms', 1, examples.sms),
    '',
    '# an e-mail',
    send('email', 2, examples.email),
    '',
    ...outbox,
  ];
}
