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
  ? Omit<Parameters, 'cookie'>
  : unknown) &
  (One extends { readonly requestBody: { readonly content: infer Content } }
    ? { readonly body: JsonOf<Content> }
    : unknown);

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
