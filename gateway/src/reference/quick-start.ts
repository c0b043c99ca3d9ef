import { showBytes } from '@lontar/shared/show-bytes.ts';
import { listModelNames } from '../generation/generation-rules.ts';
import { type Html, html, page } from './html.ts';
import type { PublicLimits } from './openapi.ts';

const PLACEHOLDER = 'YOUR_KEY';

/** A first call, an upload, and what may go wrong: with the address that the reader came by, to be pasted. */
export function quickStartPage(origin: string, limits: PublicLimits): string {
  return page(
    'Lontar quick start',
    html`<header><h1>Quick start</h1>
<p class="quiet"><a href="/docs">API reference</a>, <a href="/me">your key</a></p></header>
<main>
<p>You need an API key from the operator of this service; put it in place of <code>${PLACEHOLDER}</code>.</p>
<h2>Ask</h2>
${code(`curl -G '${origin}/api/ai' \\
  -H 'X-API-Key: ${PLACEHOLDER}' \\
  --data-urlencode 'prompt=Write a haiku about palm leaves.'`)}
<p>The answer is in <code>result</code>. It is Markdown; addresses, keys and connection strings in it are masked:</p>
${code(`{
  "status": true,
  "code": 200,
  "message": "Sukses",
  "result": "…",
  "metadata": { "request_id": "req_…", "response_time": 812, "remaining_requests": 97, "finish_reason": "stop", … }
}`)}
<p><code>/api/ai</code> is a chat bot, <code>/api/ai2</code> a general-purpose AI, <code>/api/ai3</code> a helpful assistant. Parameters:
<code>prompt</code>, <code>model</code> (${listModelNames(limits.reading.models, ' or ')}), <code>temperature</code>
(0.1 to 2) and <code>maxOutputTokens</code>.</p>
<h2>Long prompts</h2>
<p>Send a long prompt, of up to ${limits.reading.maxPromptChars} characters, in the body of a POST:</p>
${code(`curl '${origin}/api/ai2' \\
  -H 'X-API-Key: ${PLACEHOLDER}' -H 'Content-Type: application/json' \\
  -d '{ "prompt": "Explain recursion.", "temperature": 0.3 }'`)}
<h2>From a program</h2>
${code(`const response = await fetch('${origin}/api/ai3', {
  method: 'POST',
  headers: { 'X-API-Key': '${PLACEHOLDER}', 'Content-Type': 'application/json' },
  body: JSON.stringify({ prompt: 'Plan a week of meals.' }),
});
const { status, result, message } = await response.json();
console.log(status ? result : message);`)}
${inPython(origin)}
<h2>Upload</h2>
<p>Upload a file of at most ${showBytes(limits.maxFileBytes)}, or a text; ${limits.uploadsPerDay} uploads a day. Add
<code>visibility=private</code> so that only your key can read it.</p>
${code(`curl '${origin}/api/upload' -H 'X-API-Key: ${PLACEHOLDER}' -F 'file=@notes.txt'`)}
${code(`curl '${origin}/api/code' -H 'X-API-Key: ${PLACEHOLDER}' -H 'Content-Type: application/json' \\
  -d '{ "code": "print(1)", "language": "python" }'`)}
<h2>When it does not work</h2>
${troubles()}
<p>Every answer has the header <code>X-Request-Id</code>: quote it when you ask the operator. The header
<code>X-RateLimit-Remaining</code> says how many requests you have left: of the ${limits.perHour} an hour that one address may send,
or of your key's own limit, whichever is less. <a href="/me">The page of your key</a>, or <code>GET /api/key</code>,
shows what is left of each limit and what you have used.</p>
</main>`,
  );
}

/** With Python's own library, and with OpenAI's. */
function inPython(origin: string): Html {
  return html`${code(`import json, urllib.error, urllib.request

request = urllib.request.Request(
    "${origin}/api/ai3",
    data=json.dumps({"prompt": "Plan a week of meals."}).encode(),
    headers={"X-API-Key": "${PLACEHOLDER}", "Content-Type": "application/json"},
)
try:
    answer = json.load(urllib.request.urlopen(request))
except urllib.error.HTTPError as refused:
    answer = json.load(refused)
except urllib.error.URLError as away:
    answer = {"message": f"{request.full_url} does not answer: {away.reason}"}
print(answer.get("result") or answer["message"])`)}
<h2>From a client of OpenAI</h2>
<p>In any program that speaks OpenAI's protocol, set <code>${origin}/v1</code> as the base URL, and your key. No persona
is added to your messages.</p>
${code(`# pip install openai
from openai import APIError, OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${PLACEHOLDER}")
try:
    answer = client.chat.completions.create(
        model="ai-2.5-flash",
        messages=[{"role": "user", "content": "Plan a week of meals."}],
    )
    print(answer.choices[0].message.content)
except APIError as error:
    print(error.body["message"] if isinstance(error.body, dict) else error)`)}`;
}

function code(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>
`;
}

function troubles(): Html {
  const rows: readonly (readonly [string, string, string])[] = [
    ['400', 'something is missing or wrong', 'read the message: it names the parameter and the rule'],
    ['401', 'the key is unknown', 'look for typing errors'],
    ['403', 'the key has expired or may not do this, or your address is blocked', 'ask the operator'],
    ['422', 'the model refused the prompt', 'write it in other words'],
    ['429', 'a limit is used up', 'wait as many seconds as Retry-After says'],
    ['502, 503, 504', 'the model or the service had a problem', 'try again later; the message says if it was charged'],
  ];
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Because</th><th scope="col">What to do</th></tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}
