import { signal } from '@preact/signals';
import { copyText } from '../clipboard/copy.ts';
import { playground } from '../words/playground.ts';
import { LANGUAGE_NAMES, LANGUAGES, type Language, sampleOf } from './code-samples.ts';
import { call } from './playground-state.ts';

const shown = signal<Language>('curl');

/** The call as code that can be taken away. */
export function SamplesView() {
  const words = playground();
  const code = sampleOf(shown.value, call.value);
  const name = words.code(LANGUAGE_NAMES[shown.value]);
  return (
    <section class="samples" aria-label={words.sameCall}>
      <div class="card-head">
        <h2>{words.sameCall}</h2>
        <div class="choices" role="group" aria-label={words.language}>
          {LANGUAGES.map((language) => (
            <button
              key={language}
              type="button"
              class="quiet"
              aria-pressed={shown.value === language}
              onClick={() => {
                shown.value = language;
              }}
            >
              {LANGUAGE_NAMES[language]}
            </button>
          ))}
        </div>
        <button type="button" class="quiet" aria-label={words.copyCode} onClick={() => void copyText(code)}>
          {words.copy}
        </button>
      </div>
      <pre tabindex={0} aria-label={name}>
        {code}
      </pre>
      <p class="hint">{words.codeHint}</p>
    </section>
  );
}
