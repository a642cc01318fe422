/** One call over HTTP as code in the languages of the documentation, each with its standard library only. */

export interface Call {
  /** Path of the address, from its first slash. */
  readonly path: string;
  /** Headers besides the content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST; absent: the call is a GET. */
  readonly body?: unknown;
}

export interface CodeSample {
  /** A word of lower-case letters. */
  readonly language: string;
  readonly title: string;
  readonly code: string;
}

/**
 * The call in curl, TypeScript, Java and Python. All read scheme, host and port from the environment variable ENGINE and
 * print the answer.
 */
export function codeSamples(call: Call): readonly CodeSample[] {
  return [
    { language: 'curl', title: 'curl', code: curl(call) },
    { language: 'typescript', title: 'TypeScript', code: typescript(call) },
    { language: 'java', title: 'Java', code: java(call) },
    { language: 'python', title: 'Python', code: python(call) },
  ];
}

const allHeaders = ({ headers, body }: Call): [string, string][] =>
  Object.entries({ ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers });

const indented = (body: unknown): string => JSON.stringify(body, null, 2);

function curl(call: Call): string {
  const lines = [
    `curl -s "$ENGINE${call.path}"`,
    ...allHeaders(call).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(call.body === undefined ? [] : [`-d '${indented(call.body).replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return lines.join(' \\\n  ');
}

function typescript(call: Call): string {
  return `import { env } from 'node:process';

const response = await fetch(env.ENGINE + '${call.path}'${typescriptOptions(call)});
const answer = await response.json();
if (!response.ok) throw new Error(\`\${answer.code}: \${JSON.stringify(answer.errors ?? answer.detail)}\`);
console.log(answer);`;
}

function typescriptOptions(call: Call): string {
  if (call.body === undefined) return '';
  return `, {
  method: 'POST',
  headers: ${inline(Object.fromEntries(allHeaders(call)))},
  body: JSON.stringify(${indented(call.body).replaceAll('\n', '\n  ')}),
}`;
}

/** An object of texts on one line. */
function inline(texts: Readonly<Record<string, string>>): string {
  const fields = Object.entries(texts).map(([name, value]) => `'${name}': '${value}'`);
  return `{ ${fields.join(', ')} }`;
}

/** Java 17. In a text block a backslash starts an escape, and the indentation of the closing quotes is removed. */
function java(call: Call): string {
  const headers = allHeaders(call).map(([name, value]) => `        .header("${name}", "${value}")\n`);
  return `import java.net.URI;
import java.net.http.*;

class Call {
  public static void main(String[] arguments) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(System.getenv("ENGINE") + "${call.path}"))
${headers.join('')}${javaMethod(call)}
        .build();
    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(response.statusCode() + " " + response.body());
  }
}`;
}

function javaMethod({ body }: Call): string {
  if (body === undefined) return '        .GET()';
  const text = indented(body).replaceAll('\\', '\\\\').replaceAll('\n', '\n            ');
  return `        .POST(HttpRequest.BodyPublishers.ofString("""
            ${text}
            """))`;
}

function python(call: Call): string {
  const headers = allHeaders(call).map(([name, value]) => `"${name}": "${value}"`);
  const data =
    call.body === undefined
      ? ''
      : `
    data=json.dumps(${pythonValue(call.body)}).encode(),
    headers={${headers.join(', ')}},`;
  return `import json, os, urllib.error, urllib.request

request = urllib.request.Request(
    os.environ["ENGINE"] + "${call.path}",${data}
)
try:
    with urllib.request.urlopen(request) as response:
        print(json.load(response))
except urllib.error.HTTPError as error:
    print(error.code, json.load(error))`;
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** A JSON value as Python writes it: texts are the same. */
function pythonValue(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) => PYTHON_WORDS[token] ?? token)
    .replaceAll('\n', '\n    ');
}
