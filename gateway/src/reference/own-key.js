// The script of the page /me. It keeps the key in a variable and nowhere else, and says no words of its own: what may be
// said stands in the page.
(() => {
  const find = (id) => document.getElementById(id);
  const [main, form, input, shown] = [document.querySelector('main'), find('ask'), find('key'), find('shown')];
  const language = document.documentElement.lang;
  let key = '';
  let asked = 0;

  // The browser's language, unless the reader has chosen one.
  if (language === 'en' && location.hash !== '#chosen' && /^id\b/i.test(navigator.language)) {
    location.replace('/me/id');
    return;
  }

  const number = new Intl.NumberFormat(language);
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const words = main.dataset;
  const bytes = (size) => {
    const at = Math.min(Math.floor(Math.log2(Math.max(size, 1)) / 10), 4);
    const value = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(size / 1024 ** at);
    return `${value} ${['B', 'KB', 'MB', 'GB', 'TB'][at]}`;
  };
  const FORMS = {
    text: String,
    number: (value) => number.format(value),
    tokens: (value) => (value === null ? words.noLimit : `${number.format(value)} ${words.tokens}`),
    bytes,
    time: (value) => (value === null ? words.never : time.format(new Date(value))),
    clock: (value) => time.format(new Date(value * 1000)),
    list: (values) => values.join(', '),
    words: (values) => (values.length === 0 ? words.none : values.map((value) => words[value] ?? value).join(', ')),
  };
  const read = (result, path) => path.split('.').reduce((value, part) => value?.[part], result);

  function fill(result) {
    for (const cell of shown.querySelectorAll('[data-path]')) {
      const { path, form: as } = cell.dataset;
      const value = read(result, path);
      const owner = path.startsWith('limits.') ? read(result, path.split('.').slice(0, 2).join('.')) : result;
      cell.textContent =
        value === undefined ? (owner === null && path.endsWith('.limit') ? words.noLimit : '') : FORMS[as](value);
    }
    for (const meter of shown.querySelectorAll('[data-meter]')) {
      const limit = read(result, meter.dataset.meter);
      meter.hidden = limit === null;
      if (limit === null) continue;
      meter.max = Math.max(limit.limit, 1);
      meter.value = limit.used;
    }
    find('old-key').hidden = result.old_key_until === null;
    find('as-of').textContent = time.format(new Date());
    find('as-of').dateTime = new Date().toISOString();
  }

  function say(problem, detail = '') {
    const known = main.querySelector(`[data-problem="${problem}"]`) ? problem : 'other';
    for (const text of main.querySelectorAll('[data-problem]')) text.hidden = text.dataset.problem !== known;
    find('loading').hidden = true;
    // The service speaks English: where the page has words of its own for it, those of another language are enough.
    const told = known === 'other' || document.documentElement.lang === 'en' ? detail : '';
    find('detail').textContent = told;
    find('detail').hidden = told === '';
  }

  async function ask() {
    const turn = ++asked;
    if (key === '') return say('empty');
    say('nothing');
    for (const text of main.querySelectorAll('[data-problem]')) text.hidden = true;
    find('loading').hidden = false;
    let problem = 'away';
    let detail = '';
    try {
      const options = {
        headers: { 'X-API-Key': key },
        cache: 'no-store',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
      };
      const response = await fetch('/api/key', options);
      const body = await response.json();
      if (turn !== asked) return;
      if (response.ok) {
        fill(body.result);
        find('loading').hidden = true;
        const first = shown.hidden;
        shown.hidden = false;
        if (first) find('heading').focus();
        return;
      }
      problem = String(response.status);
      detail = String(body.message ?? '');
    } catch {
      if (turn !== asked) return;
    }
    // What was shown before is of another moment or key.
    if (problem !== '503' && problem !== 'away' && problem !== '429') shown.hidden = true;
    say(problem, detail);
  }

  function forget() {
    asked += 1;
    key = '';
    input.value = '';
    shown.hidden = true;
    for (const cell of shown.querySelectorAll('[data-path]')) cell.textContent = '';
    for (const text of main.querySelectorAll('[data-problem]')) text.hidden = true;
    find('loading').hidden = true;
    find('detail').hidden = true;
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    key = input.value.trim();
    shown.hidden = true;
    void ask();
  });
  find('refresh').addEventListener('click', () => void ask());
  find('forget').addEventListener('click', () => {
    forget();
    input.focus();
  });
  // A page that the browser keeps for going back would keep the key.
  addEventListener('pagehide', forget);
})();
