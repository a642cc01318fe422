import { uuidV5 } from './uuid.ts';

/** Namespace of ids that are derived from topic, partition and offset. */
const ID_SPACE = '6f1d7f0c-2a4e-5d0b-9f39-5a3f8c1b7e52';

/** The id of a notification whose command has none, derived from the offset of the original (UUID version 5). */
export function idOfPlace(place: {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}): string {
  return uuidV5(`${place.topic}/${place.partition}/${place.offset}`, ID_SPACE);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A UUID in lower case; undefined for any other text, which is treated as absent. */
export function readId(text: string | undefined): string | undefined {
  return text !== undefined && UUID.test(text) ? text.toLowerCase() : undefined;
}
