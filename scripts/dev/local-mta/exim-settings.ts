/** Parameters of the local mail server. */
export interface MtaPlan {
  readonly folder: string;
  readonly port: number;
  /** In PEM. */
  readonly certificate: { readonly cert: string; readonly key: string };
  readonly messageLimitBytes: number;
  readonly login: { readonly username: string; readonly password: string };
}

/** The only domain to which the server delivers, into a folder for each user. */
export const MTA_DOMAIN = 'example.net';

/** Receivers in that domain by the result of a delivery; all others are refused with 550. */
export const MTA_USERS = {
  delivered: ['ana', 'copy', 'archive'],
  /** Their mailbox is full: 452. */
  full: ['full'],
  /** Greylisted: 450 on the first attempt, delivered on the second. */
  newcomers: ['newcomer'],
} as const;

/**
 * Renders the configuration of Exim: STARTTLS, authentication over TLS only, delivery into maildirs below `mail/`, no
 * DNS, and no remote transport, so that no message leaves the machine.
 */
export function renderEximSettings(plan: MtaPlan): string {
  return [
    mainSettings(plan),
    receiverRules(),
    deliveryRules(plan.folder),
    loginRules(plan.login.username, plan.login.password),
  ].join('\n');
}

function mainSettings({ folder, port, messageLimitBytes }: MtaPlan): string {
  return `primary_hostname = mta.${MTA_DOMAIN}
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%s
pid_file_path = ${folder}/exim.pid
local_interfaces = <; 127.0.0.1.${port}
keep_environment =
host_lookup =
dns_again_means_nonexist = *
deliver_drop_privilege
message_size_limit = ${messageLimitBytes}
smtp_accept_max = 20
smtp_accept_queue_per_connection = 0
tls_advertise_hosts = *
tls_certificate = ${folder}/tls.cert
tls_privatekey = ${folder}/tls.key
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
received_header_text = Received: by $primary_hostname with $received_protocol id $message_exim_id
acl_smtp_rcpt = check_receiver
`;
}

function receiverRules(): string {
  return `begin acl

check_receiver:
  deny
    message = 550 5.7.1 relaying denied
    !domains = ${MTA_DOMAIN}
  defer
    message = 452 4.2.2 mailbox full
    local_parts = ${listOf(MTA_USERS.full)}
  accept
    local_parts = ${listOf(MTA_USERS.newcomers)}
    ratelimit = 1.5 / 1h / strict / $sender_address-$local_part
  defer
    message = 450 4.7.1 greylisted, come back later
    local_parts = ${listOf(MTA_USERS.newcomers)}
  accept
    local_parts = ${listOf(MTA_USERS.delivered)}
  deny
    message = 550 5.1.1 no such user
`;
}

function deliveryRules(folder: string): string {
  return `begin routers

mailbox:
  driver = accept
  domains = ${MTA_DOMAIN}
  local_parts = ${listOf([...MTA_USERS.delivered, ...MTA_USERS.newcomers])}
  transport = maildir

begin transports

maildir:
  driver = appendfile
  directory = ${folder}/mail/$local_part_data
  maildir_format
  create_directory
  directory_mode = 0700
  envelope_to_add
  return_path_add

begin retry

* * F,1h,1m
`;
}

function loginRules(username: string, password: string): string {
  return `begin authenticators

plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${username}}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
`;
}

function listOf(names: readonly string[]): string {
  return names.join(' : ');
}
