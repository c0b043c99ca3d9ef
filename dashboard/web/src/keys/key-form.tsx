import { idleLimits, limitsBeyondAddresses } from '@lontar/shared/keys/idle-limits.ts';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { fleet } from '../live/live-state.ts';
import { formatCount } from '../tiles/format.ts';
import { keyForm } from '../words/key-form.ts';
import { sayRule } from '../words/rules.ts';
import { type DraftField, type KeyDraft, listOf, MASKS, termsOf } from './key-draft.ts';

type TextField = Exclude<DraftField, 'mask' | 'keepOwn' | 'addressLimit' | 'onDisconnect'>;

interface FieldsProps {
  readonly draft: KeyDraft;
  readonly base: KeyDraft;
  readonly change: (part: Partial<KeyDraft>) => void;
  /** What the server says of each field. */
  readonly problems: ReadonlyMap<string, string>;
  /** Values that others have given the fields meanwhile. */
  readonly theirs?: ReadonlyMap<string, string>;
}

/** Every option of a key, with what is wrong with it beside the field. */
export function KeyFields(props: FieldsProps) {
  const { groups, fields, masks, leaves, hints } = keyForm();
  const { draft, change } = props;
  const text = (name: TextField, hint = '', more: object = {}) => (
    <TextInput {...props} key={name} name={name} hint={hint} more={more} />
  );
  const number = (name: TextField, hint = hints.empty) => text(name, hint, { inputmode: 'numeric', maxLength: 20 });
  return (
    <>
      <Group name={groups.whose}>
        {text('name', '', { required: true, class: 'wide', autofocus: props.base.name === '' })}
        {text('owner')}
        {text('note')}
      </Group>
      <Group name={groups.limits}>
        {(['perHour', 'perDay', 'credits'] as const).map((name) => number(name))}
        {number('concurrency', hints.concurrency)}
        {number('maxOutputTokens')}
        {number('storage', hints.storage)}
        {text('expiresAt', hints.expiresAt, { type: 'datetime-local' })}
        <Idle draft={draft} base={props.base} />
      </Group>
      <Group name={groups.access}>
        {text('models', hints.models, { class: 'wide', maxLength: 13_000 })}
        {text('addresses', hints.addresses, { class: 'wide', maxLength: 7_000 })}
        <Check checked={draft.addressLimit} onChange={(addressLimit) => change({ addressLimit })}>
          {fields.addressLimit}
        </Check>
      </Group>
      <Group name={groups.masking}>
        <fieldset class="wide checks">
          <legend>{fields.mask}</legend>
          {MASKS.map((type) => (
            <Check
              key={type}
              checked={draft.mask.includes(type)}
              onChange={(wanted) =>
                change({ mask: MASKS.filter((known) => (known === type ? wanted : draft.mask.includes(known))) })
              }
            >
              {masks[type]}
            </Check>
          ))}
          <Problem {...props} name="mask" />
        </fieldset>
        <Check checked={draft.keepOwn} onChange={(keepOwn) => change({ keepOwn })}>
          {fields.keepOwn}
        </Check>
        <label>
          {fields.onDisconnect}
          <select
            value={draft.onDisconnect}
            onChange={({ currentTarget }) =>
              change({ onDisconnect: currentTarget.value === 'finish' ? 'finish' : 'abort' })
            }
          >
            <option value="abort">{leaves.abort}</option>
            <option value="finish">{leaves.finish}</option>
          </select>
        </label>
      </Group>
    </>
  );
}

function Group({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <fieldset class="group">
      <legend>{name}</legend>
      {children}
    </fieldset>
  );
}

function TextInput(props: FieldsProps & { readonly name: TextField; readonly hint: string; readonly more: object }) {
  const { draft, change, problems, name, hint } = props;
  const id = useId();
  const { class: wide, ...more } = props.more as { class?: string };
  const isWrong = problems.has(name);
  return (
    <label class={wide}>
      {keyForm().fields[name]}
      <input
        type="text"
        name={`key-${name}`}
        autocomplete="off"
        maxLength={600}
        value={draft[name]}
        aria-invalid={isWrong}
        aria-describedby={`${id}-hint ${id}-problem`}
        onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
        {...more}
      />
      <span id={`${id}-hint`} class="hint">
        {hint}
      </span>
      <span id={`${id}-problem`}>
        <Problem {...props} name={name} />
      </span>
    </label>
  );
}

function Problem({ problems, theirs, name }: Pick<FieldsProps, 'problems' | 'theirs'> & { readonly name: DraftField }) {
  const [rule, now] = [problems.get(name), theirs?.get(name)];
  return (
    <>
      {rule !== undefined && <span class="fault">▲ {sayRule(rule)}</span>}
      {now !== undefined && <span class="now">↻ {keyForm().nowIs(now === '' ? keyForm().nothing : now)}</span>}
    </>
  );
}

function Check(props: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
      />
      {props.children}
    </label>
  );
}

/** Limits that can never bind, said before they are saved. */
function Idle({ draft, base }: Pick<FieldsProps, 'draft' | 'base'>) {
  const { idle, fields } = keyForm();
  const numbers = termsOf(draft, { ...base, perHour: '?', perDay: '?', credits: '?', concurrency: '?' });
  const limit = (name: string) => (typeof numbers[name] === 'number' ? numbers[name] : undefined);
  const given = limit('concurrency');
  const limits = { perHour: limit('perHour'), perDay: limit('perDay'), credits: limit('credits') };
  const found = idleLimits({ ...limits, concurrency: given ?? 1 });
  const most = draft.addressLimit ? addressPerHour() : undefined;
  const beyond =
    most === undefined
      ? []
      : limitsBeyondAddresses({ ...limits, concurrency: given }, countAddresses(draft.addresses), most);
  if (found.length + beyond.length === 0) return null;
  return (
    <p class="idle wide" role="status">
      {found.map(({ limit, value, by, byValue, most = 0 }) => {
        const [own, other] = [formatCount(value), formatCount(byValue)];
        const say =
          limit === 'perHour'
            ? idle.perHour(own, other)
            : limit === 'perDay'
              ? idle.perDay(own, other, formatCount(most))
              : by === 'credits'
                ? idle.byCredits(own, other)
                : idle.byHour(own, other);
        return <span key={limit + by}>▲ {say}</span>;
      })}
      {beyond.map(({ limit, value, most: hour, needed, named }) => (
        <span key={limit}>
          ▲ {sayBeyond(`${fields[limit]}: ${formatCount(value)}`, formatCount(hour), needed, named)}
        </span>
      ))}
    </p>
  );
}

function sayBeyond(limit: string, most: string, needed: number, named: number | undefined): string {
  const { beyond, neverBeyond } = keyForm().idle;
  return named === undefined ? beyond(limit, most, formatCount(needed)) : neverBeyond(limit, most, formatCount(named));
}

/** `RATE_LIMIT_PER_HOUR` of the gateways; the strictest where they differ, and nothing where none has told it. */
function addressPerHour(): number | undefined {
  const told = fleet.value?.members.flatMap((member) => member.addressPerHour ?? []) ?? [];
  return told.length === 0 ? undefined : Math.min(...told);
}

const ONE_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}(?:\/32)?$/;

/** Addresses that a key names, where they are plain ones of IPv4; of networks and IPv6 the page does not know how many count. */
function countAddresses(list: string): number | undefined {
  const items = listOf(list);
  return items.length > 0 && items.every((item) => ONE_ADDRESS.test(item)) ? new Set(items).size : undefined;
}
