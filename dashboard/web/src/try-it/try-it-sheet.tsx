import { ENDPOINTS, type Endpoint, PUBLIC_MODELS } from '@lontar/shared/endpoints.ts';
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { copyText } from '../clipboard/copy.ts';
import { Sheet } from '../page/sheet.tsx';
import { curlLine, RENDERED_CHARACTERS, readAnswer, type Trial, type TrialAnswer, trialBody } from './trial.ts';

const PERSONAS: Readonly<Record<Endpoint, string>> = {
  '/api/ai': 'chat bot',
  '/api/ai2': 'general purpose',
  '/api/ai3': 'helpful assistant',
};

/** What was typed stays while the page is open, and nowhere else. */
const trial = signal<Trial>({
  key: '',
  endpoint: '/api/ai',
  model: 'ai-2.5-flash',
  temperature: 0.7,
  prompt: 'Show me how to call an API with a key.',
});
const answer = signal<TrialAnswer | undefined>(undefined);
const sending = signal(false);

/** A request of the operator's, sent to the same gateway as callers'. */
export function TryItSheet() {
  return (
    <Sheet title="Try it">
      <TrialForm />
      {answer.value && <Answer {...answer.value} />}
      <section class="curl">
        <h3>
          The same as curl
          <button
            type="button"
            class="quiet"
            aria-label="Copy the curl command"
            onClick={() => void copyText(curlLine(trial.value, location.origin))}
          >
            Copy
          </button>
        </h3>
        <pre tabindex={0} aria-label="curl command">
          {curlLine(trial.value, location.origin)}
        </pre>
      </section>
    </Sheet>
  );
}

function TrialForm() {
  const { key, prompt } = trial.value;
  return (
    <form
      class="trial"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="wide">
        API key, kept in memory only
        <input
          type="password"
          autocomplete="off"
          required
          value={key}
          onInput={({ currentTarget }) => change({ key: currentTarget.value.trim() })}
        />
      </label>
      <TrialChoices />
      <label class="wide">
        Prompt
        <textarea
          rows={3}
          required
          maxLength={32_000}
          value={prompt}
          onInput={({ currentTarget }) => change({ prompt: currentTarget.value })}
        />
      </label>
      <button type="submit" class="primary" disabled={sending.value}>
        {sending.value ? 'Waiting for the answer…' : 'Send'}
      </button>
    </form>
  );
}

function TrialChoices() {
  const { endpoint, model, temperature } = trial.value;
  return (
    <>
      <label>
        Endpoint
        <select
          value={endpoint}
          onChange={({ currentTarget }) => change({ endpoint: currentTarget.value as Endpoint })}
        >
          {/* One prompt and no conversation is tried here, so `/v1/chat/completions` is not among them. */}
          {ENDPOINTS.map((path) => (
            <option key={path} value={path}>
              {path} · {PERSONAS[path]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Model
        {/* The operator may have named others: the gateway says which there are. */}
        <input
          list="models"
          autocomplete="off"
          required
          maxLength={128}
          value={model}
          onInput={({ currentTarget }) => change({ model: currentTarget.value.trim() })}
        />
        <datalist id="models">
          {PUBLIC_MODELS.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        Temperature
        <input
          type="number"
          min="0.1"
          max="2"
          step="0.1"
          required
          value={temperature}
          onInput={({ currentTarget }) => change({ temperature: currentTarget.valueAsNumber })}
        />
      </label>
    </>
  );
}

function change(part: Partial<Trial>): void {
  trial.value = { ...trial.value, ...part };
}

function Answer({ status, text, problem, masked, headers, body }: TrialAnswer) {
  return (
    <section class="answer" aria-label="Answer" aria-live="polite">
      <h3>
        {status === 0 ? 'No answer' : `Answer, HTTP ${status}`}
        {text !== undefined && (
          <span class={masked > 0 ? 'badge secured' : 'badge'}>{masked > 0 ? `Secured (${masked})` : 'Normal'}</span>
        )}
        {text !== undefined && (
          <button type="button" class="quiet" aria-label="Copy the answer" onClick={() => void copyText(text)}>
            Copy
          </button>
        )}
      </h3>
      {problem !== undefined && <p class="fault">▲ {problem}</p>}
      {text !== undefined && <Markdown text={text} />}
      <details>
        <summary>Headers and body</summary>
        <dl class="facts">
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <pre class="scroll" tabindex={0} aria-label="Response body">
          {body.slice(0, RENDERED_CHARACTERS)}
        </pre>
      </details>
    </section>
  );
}

/** The answer as Markdown; as plain text until the renderer is here, and where it is too long to render. */
function Markdown({ text }: { readonly text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plain = document.createElement('pre');
    plain.textContent = text.slice(0, RENDERED_CHARACTERS);
    element.replaceChildren(plain);
    if (text.length > RENDERED_CHARACTERS) {
      plain.textContent += `\n… ${text.length - RENDERED_CHARACTERS} more characters; "Copy" has all of them.`;
      return;
    }
    let current = true;
    void import('./render-markdown.ts').then(({ renderMarkdown }) => {
      if (current) element.replaceChildren(renderMarkdown(text));
    });
    return () => {
      current = false;
    };
  }, [text]);
  return <div class="markdown" ref={place} />;
}

async function send(): Promise<void> {
  const { key, endpoint, ...rest } = trial.value;
  sending.value = true;
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: trialBody(rest),
      credentials: 'omit',
    });
    answer.value = readAnswer(response.status, response.headers, await response.text());
  } catch {
    answer.value = { status: 0, problem: 'The server does not answer.', masked: 0, headers: [], body: '' };
  }
  sending.value = false;
}
