import { type Html, html, page } from './html.ts';
import { OWN_KEY_PATHS, OWN_KEY_WORDS, type OwnKeyLanguage, type OwnKeyWords } from './own-key-words.ts';

/** Where the page's script is. */
export const OWN_KEY_SCRIPT = '/me/script.js';

/**
 * The page on which a caller enters a key and sees what is left of it. The script fills in values and knows no words: all
 * that is said stands here, hidden until it is true.
 */
export function ownKeyPage(language: OwnKeyLanguage): string {
  const words = OWN_KEY_WORDS[language];
  const other = language === 'en' ? 'id' : 'en';
  // The mark keeps the script from following the browser's language back.
  const otherPage = `${OWN_KEY_PATHS[other]}#chosen`;
  const body = html`<header><h1>${words.title}</h1>
<p class="quiet"><a href="/docs">${words.reference}</a>, <a href="${otherPage}" lang="${other}" hreflang="${other}">${words.otherLanguage}</a></p></header>
<main data-never="${words.never}" data-none="${words.none}" data-no-limit="${words.noLimit}" data-tokens="${words.tokens}"
 data-url="${words.maskTypes.url}" data-key="${words.maskTypes.key}" data-ip="${words.maskTypes.ip}" data-connection="${words.maskTypes.connection}">
<p>${words.intro}</p>
<form id="ask" novalidate>
<label for="key">${words.keyLabel}</label>
<span id="hint" class="quiet">${words.keyHint}</span>
<input id="key" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="200" aria-describedby="hint">
<button>${words.show}</button>
</form>
<div role="status">
<p id="loading" hidden>${words.loading}</p>
${Object.entries(words.problems).map(
  ([status, text]) => html`<p class="problem" data-problem="${status}" hidden>${text}</p>
`,
)}<p id="detail" class="quiet" lang="en" hidden></p>
</div>
<section id="shown" hidden>
<h2 id="heading" tabindex="-1">${words.key}</h2>
<p><span class="quiet">${words.asOf} <time id="as-of"></time></span>
<button type="button" id="refresh">${words.refresh}</button> <button type="button" id="forget">${words.forget}</button></p>
${facts(words)}
<h2>${words.limits}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${words.limits}">${limits(words)}</div>
<h2>${words.usage}</h2>
<p class="quiet">${words.usageNote}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${words.usage}">${usage(words)}</div>
</section>
</main>`;
  return page(words.title, body, { language, script: OWN_KEY_SCRIPT });
}

function facts({ facts: names }: OwnKeyWords): Html {
  const row = (name: string, path: string, form: string) =>
    html`<div><dt>${name}</dt><dd data-path="${path}" data-form="${form}"></dd></div>
`;
  return html`<dl>
${[
  row(names.name, 'name', 'text'),
  row(names.id, 'id', 'text'),
  row(names.created, 'created_at', 'time'),
  row(names.expires, 'expires_at', 'time'),
  row(names.models, 'models', 'list'),
  row(names.longest, 'max_output_tokens', 'tokens'),
  row(names.masked, 'masking.types', 'words'),
]}<div id="old-key"><dt>${names.oldKey}</dt><dd data-path="old_key_until" data-form="time"></dd></div>
</dl>`;
}

function limits(words: OwnKeyWords): Html {
  const heads = [words.limit, words.used, words.left, words.of, words.again];
  // The roles are said, because on a narrow screen each row is a block, and a table laid out so would lose them.
  return html`<table class="stacked" role="table">
<thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${Object.entries(words.limitNames).map(([name, text]) => {
    const form = name === 'upload_bytes' ? 'bytes' : 'number';
    const cell = (of: string, as: string, head: string) =>
      html`<td role="cell" data-name="${head}" data-path="limits.${name}.${of}" data-form="${as}"></td>`;
    return html`<tr role="row"><th scope="row" role="rowheader">${text}<meter min="0" data-meter="limits.${name}" aria-label="${text}"></meter></th>
${[
  cell('used', form, words.used),
  cell('remaining', form, words.left),
  cell('limit', form, words.of),
  cell('reset', 'clock', words.again),
]}</tr>
`;
  })}</tbody></table>`;
}

function usage(words: OwnKeyWords): Html {
  const heads = [words.counted, words.today, words.month];
  return html`<table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${Object.entries(words.counts).map(
    ([name, text]) => html`<tr><th scope="row">${text}</th>
${['today', 'last_30_days'].map((days) => html`<td data-path="usage.${days}.${name}" data-form="number"></td>`)}</tr>
`,
  )}</tbody></table>`;
}
