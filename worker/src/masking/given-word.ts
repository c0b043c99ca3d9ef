import type { GivenValue, Operator } from './given-value.ts';
import { isMadeUp, isWordGiven } from './made-up.ts';
import { isLabel } from './plain-words.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { verdict } from './verdicts.ts';

/** `#define WIFI_PASS "sepedaonthel"`, `spring.mail.password=…`: a word alone, where a setting is given nothing else. */
export function isConfiguredWord(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  value: GivenValue,
  text: string,
): boolean {
  if (operator.kind !== 'assign' && operator.kind !== 'loose') return false;
  const isNamed = value.quoted
    ? (operator.kind === 'assign' &&
        (JOINED_WORDS.test(text) || (LONG_WORD.test(text) && !isLabel(text))) &&
        !NAMES_STAGE.test(window.slice(name.start, name.end))) ||
      CONSTANT_OF_SERVICE.test(window.slice(name.start, name.end))
    : value.last && isBareWord(window, name, operator, text);
  return isNamed && !value.below && verdict(window, 'word at place', text, isWordGiven);
}

/** Without quotes names of code stand there as well: a hyphen joins none of them. */
function isBareWord(window: TextWindow, name: SecretName, { kind, tight }: Operator, text: string): boolean {
  if (kind !== 'assign') return false;
  if (tight && HYPHENED_WORDS.test(text)) return true;
  const isJoined = HYPHENED_WORDS.test(text) || JOINED_WORDS.test(text);
  if (!isJoined && !(tight && /^[a-z]+$/.test(text))) return false;
  return SETTING_BEFORE.test(window.left(name.start, LONGEST_PARENTS));
}

/** `renderPass`, `iconPassword`: a pass of a program, a part of a page. */
const NAMES_STAGE = /^icon|[a-z]Pass$|^pass$/;
const HYPHENED_WORDS = /^[A-Za-z]{3}[A-Za-z]*(?:-[A-Za-z]{3}[A-Za-z]*)+\d{0,4}$/;
const JOINED_WORDS = /^[A-Za-z]{3}[A-Za-z]*(?:[-_&+][A-Za-z]{3}[A-Za-z]*)+[-_]?\d{0,4}$/;
/** A longer word in lower case is of two words, as a label has none. */
const LONG_WORD = /^[a-z]{10,32}$/;
const CONSTANT_OF_SERVICE =
  /^(?:\w{1,8}_)?(?:WIFI|WLAN|STA|AP|OTA|DB|DATABASE|MYSQL|MARIADB|POSTGRES|PG|SQL|SMTP|MAIL|EMAIL|IMAP|FTP|SFTP|SSH|REDIS|MONGO|MQTT|ADMIN|ROOT|SERVICE|SVC|PROXY|VPN|LDAP|RABBITMQ|KEYSTORE|STORE|ROUTER|PANEL|HOTSPOT)_(?:PASS|PASSWORD|PASSWD|PWD|PSK)$/;
const LONGEST_PARENTS = 64;
/** Nothing but the parents of a setting stands before its name on the line. */
const SETTING_BEFORE =
  /(?:^|\n)(?!(?:label|message|msg|form|field|text|title|error|placeholder|i18n|page|menu|button)s?\.)(?:[A-Za-z][\w-]*\.)*$/i;

/** `SECRET_KEY = "anggrek-bulan-putih-99"`: words and a number, given to a secret by an equals sign. */
export function isNumberedWords(window: TextWindow, name: SecretName, text: string): boolean {
  if (!NUMBERED_WORDS.test(text) || !/^["']?\s{0,4}=/.test(window.peek(name.end, 6))) return false;
  return ENDS_IN_SECRET.test(window.slice(name.start, name.end)) && verdict(window, 'made-up', text, isMadeUp);
}

const NUMBERED_WORDS = /^[a-z]+(?:-[a-z]+)+-?\d{1,4}$/;
const ENDS_IN_SECRET = /secret(?:_?key)?$/i;
