import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MessageDefinition } from './messages.ts';

/** Folder of the released schemas, one file for each local id. Released files never change. */
const RELEASED_FOLDER = fileURLToPath(new URL('./released/', import.meta.url));
const RELEASED_NAME = /^(\d+)\.([A-Za-z][A-Za-z0-9]*)\.avsc$/;

export interface ReleasedSchema {
  readonly localSchemaId: number;
  readonly type: string;
  readonly text: string;
}

/** Path of a message's schema below the folder of schemas: `<context>/<Name>.v<N>.avsc`. */
export function schemaFile(message: MessageDefinition): string {
  return `${message.context}/${message.type}.v${message.version}.avsc`;
}

/** The text of the schema. Throws if the file cannot be read. */
export function readSchema(message: MessageDefinition): string {
  return readFileSync(new URL(`./${schemaFile(message)}`, import.meta.url), 'utf8');
}

/** Absolute path of the released copy, which exists only after `npm run schemas -- release`. */
export function releasedFile(message: MessageDefinition): string {
  return `${RELEASED_FOLDER}${message.localSchemaId}.${message.type}.avsc`;
}

/** Reads all released schemas in the order of their ids. Throws on a file not named `<id>.<RecordName>.avsc`. */
export function readReleasedSchemas(): readonly ReleasedSchema[] {
  return readdirSync(RELEASED_FOLDER)
    .toSorted()
    .map((file) => {
      const match = RELEASED_NAME.exec(file);
      if (match === null) throw new Error(`schemas/released/${file} is not named <id>.<RecordName>.avsc`);
      const text = readFileSync(RELEASED_FOLDER + file, 'utf8');
      return { localSchemaId: Number(match[1]), type: match[2] ?? '', text };
    });
}
