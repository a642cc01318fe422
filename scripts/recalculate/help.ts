/** What `npm run recalculate -- --help` prints. */
export const HELP = `Usage: npm run recalculate -- --input FILE|- --output FILE|- [OPTIONS]
       npm run recalculate -- --input FILE|- --summary [OPTIONS]

Calculates the schedule of every contract of a portfolio again, in the order of the input. Each line of the input gives
one line of results or one line of failures, never both.

What is read:
  --input FILE       .ndjson or .jsonl, or .csv, each also .gz; - is the standard input (packed or not)
  --input-format F   ndjson or csv, where the name does not say it
                     NDJSON: {"id": "c-1", "jsonParam": {...}}, and "schedule": [...] for the former schedule
                     CSV: a column id, and columns named like the members of jsonParam, in any case; or a column
                     jsonParam with all of them. Lists (Commission, Insurance, ...), jsonParam and schedule are JSON text in
                     their cells; an empty cell is a member left out. Comma, semicolon or tab, as the header has it.
                     Numbers as JSON writes them: 1234.5

What is written:
  --output FILE      .ndjson or .jsonl, or .csv, each also .gz; - is the standard output
  --output-format F  ndjson: {"id": ..., "schedule": [...]}; csv: one line of figures a contract
  --failures FILE    {"line": ..., "id": ..., "problem": {...}} for each contract that fails (OUTPUT.failures.ndjson)
  --summary          no results, only the report
  --compare          each contract's former and new installments, and the contracts that moved most
  --overwrite        replaces the files of an earlier run
  --json             the report as JSON on standard output, instead of text on standard error

How it is done:
  --resume           goes on where a run was cut off: same input, same options. Works after kill -9 too
  --as-of DAY        calculates as on that day (yyyy-mm-dd), instead of today; a resumed run keeps its day
  --batch N          contracts in one message, 1 to 500 (100)
  --window N         messages in flight, 1 to 256 (16)
  --patience TIME    gives up when no reply at all has come for so long: 90s, 10m, 2h (10m)
  --max-failures N   gives up when more contracts than this have failed
  --help             this text

Examples:
  npm run recalculate -- --input portfolio.ndjson --output schedules.ndjson
  npm run --silent recalculate -- --input portfolio.csv.gz --output schedules.ndjson.gz --json > report.json
  zcat portfolio.ndjson.gz | npm run --silent recalculate -- --input - --output - --failures failed.ndjson | gzip > schedules.gz
  KAFKA_BROKERS=kafka-1:9092,kafka-2:9092 npm run recalculate -- --input portfolio.ndjson --output schedules.ndjson
  npm run recalculate -- --input portfolio.ndjson --output schedules.ndjson --resume
  npm run recalculate -- --input with-former-schedules.ndjson --output changes.ndjson --compare --as-of 2026-05-01
  npm run recalculate -- --input portfolio.csv --summary

Environment: KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, SCHEMA_REGISTRY_URL and the other settings of docs/operations.md. With
KAFKA_BROKERS the workers of that Kafka calculate; without, this process does it by itself.
Exit codes: 0 all contracts calculated, 1 some failed, 2 wrong usage, configuration or input file, 3 given up (--resume goes on).
`;
