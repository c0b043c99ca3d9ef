import type { ModelError, ModelRequest } from './language-model.ts';
import { createModelList, type ListedModels, type ModelListOptions } from './list-models.ts';
import type { UpstreamLimits } from './upstream-limits.ts';
import type { Advise } from './upstream-words.ts';

/** How the operator's settings are called that a failure may have to do with. */
export interface SettingNames {
  readonly url: string;
  readonly key: string;
  /** How to give an upstream's name to the model that callers ask for. */
  readonly useModel: (upstreamName: string, insteadOf: string) => string;
}

/** Names of models in one sentence. */
const MOST_NAMES = 10;

/** Advice about one upstream; none where its settings have no names, or its words cannot be masked. */
export function createAdvice(
  list: Pick<ModelListOptions, 'url' | 'headers'>,
  { settings, redact }: Pick<UpstreamLimits, 'settings' | 'redact'>,
): Advise | undefined {
  if (settings === undefined || redact === undefined) return undefined;
  const listed = createModelList({ ...list, redact });
  return (failure, request) => adviseOn(failure, request, { settings, listed });
}

/**
 * What the operator can do about a failure, in one or two sentences; undefined where nobody can say.
 *
 * @param listed what the upstream has; asked for only where a model's name may be wrong
 */
export async function adviseOn(
  failure: Pick<ModelError, 'kind' | 'upstream' | 'isUnknownModel'>,
  { model }: Pick<ModelRequest, 'model'>,
  { settings, listed }: { readonly settings: SettingNames; readonly listed: () => Promise<ListedModels> },
): Promise<string | undefined> {
  if (failure.isUnknownModel) return adviseOnModel(await listed(), model, settings);
  return adviseOnKind(failure, failure.upstream?.upstreamHost ?? 'the upstream', settings);
}

function adviseOnModel(listed: ListedModels, model: string, { url, useModel }: SettingNames): string {
  const has = `The upstream has no model ${model}`;
  switch (listed.kind) {
    case 'names': {
      const { names } = listed;
      if (names.includes(model)) return `The upstream lists the model ${model}, and does not answer with it.`;
      const shown = names.slice(0, MOST_NAMES).join(', ');
      const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
      return `${has}; it has ${shown}${more}. ${useModel(names[0] ?? '', model)}`;
    }
    case 'nothing here':
      return `There is nothing at this path of the upstream, not even a list of models: correct ${url}, which most often ends with its version, such as /v1.`;
    case 'unknown':
      return `${has}. ${useModel('ITS_NAME', model)}`;
  }
}

function adviseOnKind(
  { kind, upstream }: Pick<ModelError, 'kind' | 'upstream'>,
  host: string,
  { url, key }: SettingNames,
): string | undefined {
  switch (kind) {
    case 'unauthorized':
      return `The upstream does not accept the key, or its account has no money left: set ${key}, and start the worker again (npm start: Ctrl-C, then npm start; containers: docker compose up -d worker).`;
    case 'connection':
      return adviseOnConnection(upstream?.upstreamCode, host, url);
    case 'timed_out':
      return `${host} gave no answer in MODEL_TIMEOUT_MS: is it overloaded, or the model too slow?`;
    case 'invalid_answer':
      return `What ${host} sent is no answer of this protocol: does ${url} name the right server and path?`;
    default:
      return undefined;
  }
}

/** @param code of Node's error, or of OpenSSL's */
function adviseOnConnection(code: string | undefined, host: string, url: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The worker finds no address for ${host}: check the name in ${url}, and whether this machine has a network and DNS.`;
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') {
    return `${host} does not speak TLS: begin ${url} with http:// instead of https://.`;
  }
  if (code !== undefined && /CERT|SIGNATURE/.test(code)) {
    return `The worker does not accept the certificate of ${host}: set NODE_EXTRA_CA_CERTS to a file with its authority, or correct ${url}.`;
  }
  return `The worker cannot reach ${host}: start that server, or correct ${url}.`;
}
