import { v5 as uuidV5 } from 'uuid';

/** Ids of commands that bring none are names in this space: the same place in the log gives the same id. */
const ID_SPACE = '6f1d7f0c-2a4e-5d0b-9f39-5a3f8c1b7e52';

/** The id of a notification whose command brings none: by the place of its first copy on the log (UUID version 5). */
export function idOfPlace(place: {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}): string {
  return uuidV5(`${place.topic}/${place.partition}/${place.offset}`, ID_SPACE);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id in lower case; undefined for what is none. Whatever stands in the place of one counts as absent everywhere. */
export function readId(text: string | undefined): string | undefined {
  return text !== undefined && UUID.test(text) ? text.toLowerCase() : undefined;
}
