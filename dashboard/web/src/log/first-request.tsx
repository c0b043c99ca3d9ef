import { copyText } from '../clipboard/copy.ts';
import { go } from '../page/place.ts';
import { log } from '../words/log.ts';

/** What an operator sees before the first request; its row takes this place by itself. */
export function FirstRequest() {
  const { first, copy } = log();
  const line = `curl -H "Authorization: Bearer $LONTAR_KEY" "${location.origin}/api/ai?prompt=Hello"`;
  return (
    <div class="first">
      <p>
        <strong>{first.none}</strong> {first.send}
      </p>
      <pre tabindex={0} aria-label={first.line}>
        <code>{line}</code>
      </pre>
      <p class="actions">
        <button type="button" onClick={() => void copyText(line)}>
          {copy}
        </button>
        <button type="button" onClick={() => go('/playground')}>
          {first.tryHere}
        </button>
      </p>
    </div>
  );
}
