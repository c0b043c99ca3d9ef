import type { CatalogSource, ModelCatalog } from '@lontar/shared/models/catalog.ts';
import { isHeaderValue } from '@lontar/shared/models/catalog-of-variables.ts';
import type { SecretOf } from '@lontar/shared/models/secrets.ts';

/** How often the files of secrets are read, ms. */
const EVERY_MS = 5_000;

/**
 * A source that also tells its listeners when the value of a secret has changed: the file that `NAME_FILE` names was
 * exchanged. A value that is gone, or that no header takes, changes nothing: such a file is being written, or broken.
 *
 * @param everyMs another interval, for tests
 */
export function followSecrets(source: CatalogSource, secretOf: SecretOf, everyMs: number = EVERY_MS): CatalogSource {
  const listeners = new Set<(catalog: ModelCatalog) => void>();
  let known = valuesOf(source.current, secretOf);
  const tell = (catalog: ModelCatalog) => {
    known = valuesOf(catalog, secretOf);
    for (const listener of listeners) listener(catalog);
  };
  const unfollow = source.onChange(tell);
  const look = () => {
    const values = valuesOf(source.current, secretOf);
    const isWhole = [...values].every(([, value]) => value !== undefined && value !== '' && isHeaderValue(value));
    if (isWhole && [...values].some(([name, value]) => known.get(name) !== value)) tell(source.current);
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return {
    get current() {
      return source.current;
    },
    get problems() {
      return source.problems;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      clearInterval(timer);
      unfollow();
      return source.stop();
    },
  };
}

function valuesOf({ upstreams }: ModelCatalog, secretOf: SecretOf): Map<string, string | undefined> {
  const secrets = [...upstreams.values()].flatMap(({ apiKey }) => (apiKey === undefined ? [] : [apiKey]));
  return new Map(secrets.map((secret) => [secret.variable, secretOf(secret)]));
}
