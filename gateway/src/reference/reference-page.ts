import { type Html, html, page } from './html.ts';
import type { OpenApi } from './openapi.ts';

/** JSON Schema, as far as the page shows it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Schema }[];
  readonly requestBody?: { content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { description: string; headers: Record<string, unknown>; content: Readonly<Record<string, Media>> }>
  >;
}

interface Shown {
  readonly method: string;
  readonly path: string;
  readonly operation: Described;
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** The API document as a page to read. */
export function referencePage(document: OpenApi): string {
  const { title, version, description } = document['info'] as Record<'title' | 'version' | 'description', string>;
  const shown = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Shown => {
      return { method, path, operation: operation as unknown as Described };
    }),
  );
  const tags = [...new Set(shown.flatMap(({ operation }) => operation.tags))];
  return page(
    `${title} API reference`,
    html`<header>
<h1>${title} API reference</h1>
<p class="quiet">Version ${version}. <a href="/docs/quick-start">Quick start</a>, <a href="/me">your key</a>,
<a href="/openapi.json">OpenAPI document</a>, <a href="/llms.txt">text for language models</a>.</p>
</header>
<main>
${description.split('\n\n').map((text) => html`<p>${text}</p>`)}
${keySection(document)}
<nav aria-label="Operations"><ul>${shown.map(link)}</ul></nav>
${tags.map(
  (tag) => html`<section>
<h2>${tag}</h2>
${shown.filter(({ operation }) => operation.tags.includes(tag)).map(section)}
</section>`,
)}
</main>`,
  );
}

function link({ method, path, operation }: Shown): Html {
  return html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${path}</a>
<span class="quiet">${operation.summary}</span></li>
`;
}

function keySection(document: OpenApi): Html {
  const { securitySchemes } = document['components'] as {
    securitySchemes: Record<string, { name?: string; in?: string; description: string }>;
  };
  const ways = Object.values(securitySchemes).map(
    ({ name, in: place, description }) =>
      html`<li>${name === undefined ? '' : html`<code>${name}</code> in the ${place ?? ''}: `}${description}</li>`,
  );
  return html`<h2>API keys</h2><p>A key is given in one of these ways:</p><ul>${ways}</ul>`;
}

function section({ method, path, operation }: Shown): Html {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
  const key = security.length === 0 ? 'No API key.' : keyNote(security);
  return html`<article id="${operationId}">
<h3><span class="method">${method}</span> <code>${path}</code></h3>
<p>${summary}. <span class="quiet">${key}</span></p>
${description === undefined ? '' : html`<p>${description}</p>`}
${parameters.length === 0 ? '' : fieldTable(parameters.map(asField))}
${requestBody ? Object.entries(requestBody.content).map(([type, media]) => bodyOf(type, media)) : ''}
<details><summary>Answers: ${Object.keys(responses).join(', ')}</summary>
${Object.entries(responses).map(
  ([status, { description: about, headers, content }]) => html`<h4>${status}</h4>
<p>${about}</p>
<p class="quiet">Headers: ${Object.keys(headers).join(', ')}</p>
${Object.entries(content).map(([type, media]) => bodyOf(type, media))}`,
)}
</details>
</article>
`;
}

function keyNote(security: Described['security']): string {
  if (security.some((scheme) => 'adminToken' in scheme)) return 'Admin token, or an operator who is signed in.';
  return security.some((scheme) => Object.keys(scheme).length === 0)
    ? 'API key for what is private.'
    : 'API key needed.';
}

function bodyOf(type: string, { schema, example }: Media): Html {
  const forms = schema?.anyOf ?? (schema ? [schema] : []);
  return html`<p>Body: <code>${type}</code></p>
${forms.map((form) => fieldTable(fieldsOf(form)))}
${example === undefined ? '' : html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`}`;
}

interface Field {
  readonly name: string;
  readonly where?: string;
  readonly required: boolean;
  readonly schema: Schema;
}

function asField({ name, in: where, required, schema }: NonNullable<Described['parameters']>[number]): Field {
  return { name, where, required, schema };
}

/** The fields of an object, those of objects within it by their path. */
function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const field: Field = { name: prefix + name, required: required.includes(name), schema };
    const inner = schema.properties ? schema : schema.items;
    const mark = schema.items ? '[].' : '.';
    return inner?.properties ? [field].concat(fieldsOf(inner, prefix + name + mark)) : [field];
  });
}

function fieldTable(fields: readonly Field[]): Html {
  const rows = fields.map(
    ({ name, where, required, schema }) => html`<tr><td><code>${name}</code></td>
<td>${where === undefined ? '' : `${where}, `}${required ? 'required' : 'optional'}</td>
<td>${ruleOf(schema)}</td><td>${schema.description ?? ''}</td></tr>
`,
  );
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Given</th><th scope="col">Rule</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function ruleOf(schema: Schema): string {
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  const rules = [schema.enum ? schema.enum.join(' or ') : [schema.type ?? 'any'].flat().join(' or ')];
  const { minimum = -NO_LIMIT, maximum = NO_LIMIT } = schema;
  if (minimum > -NO_LIMIT && maximum < NO_LIMIT) rules.push(`${minimum} to ${maximum}`);
  else if (minimum > -NO_LIMIT) rules.push(`at least ${minimum}`);
  if (schema.maxLength !== undefined) rules.push(`at most ${schema.maxLength} characters`);
  if (schema.default !== undefined) rules.push(`${JSON.stringify(schema.default)} unless given`);
  return rules.join(', ');
}
