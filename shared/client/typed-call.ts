/** The types of a call, taken from the paths of the OpenAPI document. */
import type { components, paths } from './document-types.ts';

/** The named schemas of the document: `Schemas['Problem']`. */
export type Schemas = components['schemas'];

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths of the document that have this method. */
export type PathOf<Method extends HttpMethod> = {
  [Path in keyof paths]: paths[Path] extends { readonly [One in Method]: object } ? Path : never;
}[keyof paths];

/** What the document says about one method of a path. */
export type DocumentedCall<Method extends HttpMethod, Path extends PathOf<Method>> = NonNullable<
  paths[Path][Method]
>;

/** What a call of an operation sends: `path`, `query` and `header` parameters and `body`, each where the document has it. */
export type CallInput<One> = (One extends { readonly parameters: infer Parameters }
  ? Omit<{ readonly [Place in keyof Parameters]: Sent<Parameters[Place]> }, 'cookie'>
  : unknown) &
  (One extends { readonly requestBody: { readonly content: infer Content } }
    ? { readonly body: JsonOf<Content> }
    : unknown);

/** The parameters of a place, without the entity tag that `getIfChanged` sends. */
type Sent<Parameters> = Parameters extends object
  ? OrUndefined<Omit<Parameters, 'If-None-Match'>>
  : Parameters;

/** Parameters of which the optional ones may also be undefined, which means that they are absent. */
type OrUndefined<Parameters> = {
  readonly [Name in keyof Parameters]: object extends Pick<Parameters, Name>
    ? Parameters[Name] | undefined
    : Parameters[Name];
};

/** What an operation answers with one of these statuses; undefined for an answer without a body. */
export type DocumentedReply<One, Status = 200 | 201 | 202 | 204> = One extends {
  readonly responses: infer Responses;
}
  ? { [Each in keyof Responses & Status]: BodyOf<Responses[Each]> }[keyof Responses & Status]
  : never;

type BodyOf<Response> = Response extends { readonly content: infer Content } ? JsonOf<Content> : undefined;

type JsonOf<Content> = Content extends { readonly 'application/json': infer Json }
  ? Json
  : Content extends { readonly 'text/plain': infer Text }
    ? Text
    : undefined;

/** The addresses whose answers have an entity tag. */
export type TaggedPath = {
  [Path in PathOf<'get'>]: DocumentedCall<'get', Path> extends {
    readonly responses: { readonly 304: unknown };
  }
    ? Path
    : never;
}[PathOf<'get'>];

/** The addresses that send events. */
export type EventPath = {
  [Path in PathOf<'get'>]: DocumentedCall<'get', Path> extends EventStream<unknown> ? Path : never;
}[PathOf<'get'>];

/** An event of an address: its name in `event`, and its data. An engine that is newer than the client may send other events. */
export type ServerEvent<Path extends EventPath> =
  DocumentedCall<'get', Path> extends EventStream<infer Event>
    ? Event & {
        /** Id of the last event that has one. */
        readonly id: string | undefined;
      }
    : never;

interface EventStream<Event> {
  readonly responses: { readonly 200: { readonly content: { readonly 'text/event-stream': Event } } };
}
