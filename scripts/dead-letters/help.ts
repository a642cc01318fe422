/** What `npm run dead-letters -- --help` prints. */
export const HELP = `Usage: npm run dead-letters -- COMMAND [ID ...] [OPTIONS]

  list       the letters, newest first, with their number by code; handled ones are left out
    --all            those that were redriven, edited or discarded too
  show       where a letter came from, why it ended, its headers, its payload (personal data masked), what was done with it
    --reveal         without masking
  redrive    sends letters to the topic that they came from
  edit       changes payload or headers, checks them as its worker would, and sends an edited copy
    --set PATH=VALUE a member, such as receiver=+40722123456 or jsonParam.Amount=1000; repeatable.
                     VALUE is JSON where it can be, else text; null removes the member
    --patch FILE     a JSON merge patch (RFC 7396) instead or before
    --header N=VALUE a header, such as kafka_replyTopic=bank.replies; without VALUE it is removed; repeatable
  discard    marks letters as done with; they stay on their topic until its retention ends
    --reason TEXT    needed

Which letters (all of these together; every command but list needs one of them):
  ID, --id ID        topic/partition/offset as list prints it, or the id of a notification; repeatable
  --topic NAME       a worker (notification, schedule ...), a dead-letter topic, or the topic that they came from; repeatable
  --code CODE        why they ended; smtp-5* stands for all that begin so; repeatable
  --key KEY          the message key, as text or in hexadecimal
  --since, --until   2026-05-01, 2026-05-01T10:00:00Z, or 30m, 2h, 7d before now
  --limit N          the newest N (list: 100, show: 10), the oldest N for the others

Acting (redrive, edit, discard):
  --dry-run          says what would be done; writes nothing, the audit included
  --reason TEXT      kept in the audit
  --operator NAME    who acts, instead of the user of the operating system
  --again            also what was handled already
  --rate N           letters a second (50)
  --force            also what has come back three times: the cause should be mended first
  --accept-duplicates  also notifications of unknown outcome, which may have been sent before

  --json   one JSON document on standard output
  --help   this text

Every action is kept on the audit topic: who, when, what, why, with what result; never a payload.
Environment: KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, SCHEMA_REGISTRY_URL and the other settings of docs/operations.md. Without
KAFKA_BROKERS the command works on the running \`npm start\` of this machine, which it finds by ADMIN_FILE.
Exit codes: 0 done, 1 something failed or was refused, 2 wrong usage.
`;
