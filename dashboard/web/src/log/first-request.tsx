import { copyText } from '../clipboard/copy.ts';
import { go } from '../page/place.ts';

/** What an operator sees before the first request; its row takes this place by itself. */
export function FirstRequest() {
  const line = `curl -H "Authorization: Bearer $LONTAR_KEY" "${location.origin}/api/ai?prompt=Hello"`;
  return (
    <div class="first">
      <p>
        <strong>No request yet.</strong> Send the first one, with a key from <code>lontar keys create</code>; it shows
        up here by itself.
      </p>
      <pre tabindex={0} aria-label="A first request with curl">
        <code>{line}</code>
      </pre>
      <p class="actions">
        <button type="button" onClick={() => void copyText(line)}>
          Copy
        </button>
        <button type="button" onClick={() => go('/playground')}>
          Try it here
        </button>
      </p>
    </div>
  );
}
