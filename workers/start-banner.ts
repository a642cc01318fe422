import { isLoopback } from '../shared/platform/host-names.ts';
import type { Config } from '../shared/platform/load-config.ts';

/** Lifetime of the token in the printed calls: long enough to try them. */
const PRINTED_TOKEN_MS = 900_000;
const SCHEDULE_ACTION = 'PLAT_BP_CalculateRepaymentSchedule';

/** The request of the README: 100 at 7 %, six monthly instalments from 1 January 2024. */
const SAMPLE = {
  jsonParam: {
    ScheduleType: 'EqualInstallments',
    ProductType: 'TL',
    InterestPercent: 7,
    Amount: 100,
    InstallmentsNo: 6,
    PeriodicityType: 'Monthly',
    InstallmentDay: 1,
    ActivationDate: '2024-01-01',
  },
};

/** The equal payment of 1000 at 12 %, four months in arrears. */
const PAYMENT = {
  jsonParam: {
    InstallmentsNo: 4,
    PeriodicityType: 'Monthly',
    InterestCalculationMethod: '30/360',
    FinancedAmount: 1000,
    InterestPercent: 12,
  },
};

/** A product of the example catalogue, with its bounds and interests. */
const LOOK_UP = {
  BankingProductCode: 'TL-PERSONAL',
  displayBPAvailability: true,
  displayInterestsAndCommissions: true,
};

/** Written to the local outbox unless a provider is configured. */
const SMS = { message: 'Your new account is ready.', receiver: '+40722123456' };
const EMAIL = { message: 'Your offer is ready.', receiver: 'ana@mail.example', subject: 'Your offer' };

/** A simulation of a loan with that product. */
const SIMULATION = {
  productCode: 'TL-PERSONAL',
  amount: 10_000,
  loanPeriod: 12,
  scheduleType: 'EqualInstallments',
  jsonFilterCommission: [{ name: 'Amount', value: 10_000 }],
};

/** How to get another access token. */
const OWN_TOKEN = "# a token: TOKEN=$(npm run --silent token -- --scope 'operations:read operations:write')";
const TOKEN_OF_ISSUER = '# TOKEN stands for an access token of your issuer';

/** Renders the output of a successful start: addresses and example calls. */
export async function renderStartBanner(options: {
  config: Config;
  names: readonly string[];
  url: string | undefined;
  healthUrl: string | undefined;
  startMs: number;
  /** When the printed token is issued. */
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
  const post = (action: string, body: object, extra = ''): string =>
    `curl -s ${extra}${access}${url}/platapi/automation-processors/actions/${action} ` +
    `-H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
  lines.push(
    '',
    '# a repayment schedule',
    post(SCHEDULE_ACTION, SAMPLE),
    '',
    '# the same with the annual percentage rate of charge, as an asynchronous request',
    post(
      SCHEDULE_ACTION,
      { jsonParam: { ...SAMPLE.jsonParam, CalculateDAE: 2 } },
      "-H 'prefer: respond-async' ",
    ),
    '',
    '# the equal payment of 1000 at 12 % in four months',
    post('PLAT_BP_CalculatePMT', PAYMENT),
    '',
  );
  if (config.kafka === undefined && config.lending.catalogueFolder === undefined) {
    lines.push('# a product of the example catalogue', post('plat_bp_getbankingproductbycode', LOOK_UP), '');
    lines.push('# a simulation of its costs', post('PLAT_BP_Simulate', SIMULATION), '');
  }
  if (names.includes('notification')) lines.push(...renderNotificationCalls(config, url, access));
  lines.push(`# documentation: ${url}/docs   health: ${url}/health/ready   metrics: ${url}/metrics`, '');
  return `${lines.join('\n')}\n`;
}

/** A token for the printed calls. On other addresses than loopback the output may go to a log, which holds no secrets. */
async function printedToken({ auth, http }: Config, nowMs: number): Promise<string | undefined> {
  if (auth.jwtSecret === undefined || !isLoopback(http.host)) return undefined;
  const { signToken } = await import('./ingress/access/sign-token.ts');
  const times = { issuedAtMs: nowMs, lifetimeMs: PRINTED_TOKEN_MS };
  return signToken(auth, auth.jwtSecret, { subject: 'demo', scope: '', ...times });
}

function renderNotificationCalls(config: Config, url: string, access: string): string[] {
  const send = (channel: string, number: number, body: object): string =>
    `curl -s ${access}${url}/api/notifications/v1/${channel}/send -H 'x-communication-channel: ${number}' ` +
    `-H 'x-sender-id: platrealm' -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
  const isLocal = config.kafka === undefined && config.notification.configFile === undefined;
  const outbox = isLocal
    ? [`# sent notifications, since no provider is configured: ${url}/workbench/messages/outbox`, '']
    : [];
  return ['# an SMS', send('sms', 1, SMS), '', '# an e-mail', send('email', 2, EMAIL), '', ...outbox];
}
