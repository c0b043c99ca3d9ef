import { CHAT_ENDPOINT, ENDPOINTS, type Endpoint, type GenerationEndpoint } from '@lontar/shared/endpoints.ts';
import type { PageProps } from '../page/page-props.ts';
import { playground } from '../words/playground.ts';
import { isChat, readTools, type Settings } from './call.ts';
import { change, models, readModels, settings } from './playground-state.ts';

const PERSONAS = { '/api/ai': 'ai', '/api/ai2': 'ai2', '/api/ai3': 'ai3' } as const satisfies Record<Endpoint, string>;
/** From this width on, px, all settings stand beside the conversation. */
const WIDE_PX = 900;

/** Key, endpoint, model and how it is asked. Endpoint and model stand in the address, so that a link can name them. */
export function SettingsForm({ setQuery }: Pick<PageProps, 'setQuery'>) {
  const words = playground();
  return (
    <form class="settings" aria-label={words.settings} onSubmit={(event) => event.preventDefault()}>
      <h2>{words.settings}</h2>
      <label>
        {words.key}
        <input
          id="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={settings.value.key}
          onInput={({ currentTarget }) => change({ key: currentTarget.value.trim() })}
          onChange={() => void readModels()}
        />
      </label>
      <EndpointField setQuery={setQuery} />
      <label>
        {words.modelName}
        {/* The operator may have named others than those that are known here: the gateway says which there are. */}
        <input
          list="models"
          autocomplete="off"
          spellcheck={false}
          maxLength={128}
          value={settings.value.model}
          onInput={({ currentTarget }) => change({ model: currentTarget.value.trim() })}
          onChange={({ currentTarget }) => setQuery({ model: currentTarget.value.trim() }, { replace: true })}
        />
        <datalist id="models">
          {models.value.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <NumberField name="temperature" label={words.temperature} most={2} step={0.1} />
      <NumberField name="maxTokens" label={words.maxTokens} most={1_000_000} step={1} />
      {isChat(settings.value) ? <ChatFields /> : <p class="hint wide">{words.single}</p>}
    </form>
  );
}

function EndpointField({ setQuery }: Pick<PageProps, 'setQuery'>) {
  const words = playground();
  return (
    <label>
      {words.endpoint}
      <select
        value={settings.value.endpoint}
        onChange={({ currentTarget }) => {
          change({ endpoint: currentTarget.value as GenerationEndpoint });
          setQuery({ endpoint: currentTarget.value }, { replace: true });
        }}
      >
        <option value={CHAT_ENDPOINT}>{CHAT_ENDPOINT}</option>
        {ENDPOINTS.map((path) => (
          <option key={path} value={path}>
            {path} · {words.personas[PERSONAS[path]]}
          </option>
        ))}
      </select>
    </label>
  );
}

function NumberField(props: {
  readonly name: 'temperature' | 'maxTokens';
  readonly label: string;
  readonly most: number;
  readonly step: number;
}) {
  const { name, label, most, step } = props;
  return (
    <label class="half">
      {label}
      <input
        type="number"
        min={name === 'maxTokens' ? 1 : isChat(settings.value) ? 0 : 0.1}
        max={most}
        step={step}
        placeholder={playground().ownDefault}
        value={settings.value[name] ?? ''}
        onInput={({ currentTarget: { valueAsNumber } }) =>
          change({ [name]: Number.isNaN(valueAsNumber) ? undefined : valueAsNumber })
        }
      />
    </label>
  );
}

function ChatFields() {
  const words = playground();
  const isBroken = readTools(settings.value.tools) === undefined;
  return (
    <details class="wide" open={innerWidth > WIDE_PX}>
      <summary>{words.more}</summary>
      <TextField name="system" label={words.system} rows={3} hint={words.systemHint} />
      <TextField name="tools" label={words.toolList} rows={4} hint={EXAMPLE_TOOL} isBroken={isBroken} />
      {isBroken && (
        <p class="fault wide" role="alert">
          ▲ {words.toolsBroken}
        </p>
      )}
    </details>
  );
}

const EXAMPLE_TOOL = '[{"type": "function", "function": {"name": "weather"}}]';

function TextField(props: {
  readonly name: keyof Pick<Settings, 'system' | 'tools'>;
  readonly label: string;
  readonly rows: number;
  readonly hint: string;
  readonly isBroken?: boolean;
}) {
  const { name, label, rows, hint, isBroken = false } = props;
  return (
    <label class="wide">
      {label}
      <textarea
        class={name}
        rows={rows}
        spellcheck={name === 'system'}
        placeholder={hint}
        aria-invalid={isBroken}
        value={settings.value[name]}
        onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
      />
    </label>
  );
}
