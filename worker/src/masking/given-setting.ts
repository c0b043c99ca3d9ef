import { CODE } from './characters.ts';
import type { GivenValue, Operator } from './given-value.ts';
import { hasLoginBefore } from './login-beside.ts';
import type { SecretName } from './secret-name.ts';
import { isSureWords } from './sure-words.ts';
import type { TextWindow } from './text-window.ts';
import { verdict } from './verdicts.ts';

/**
 * Words as the password of a setting, whatever words they are: `POSTGRES_PASSWORD: ink-and-quill`, `--set
 * db.password=pumpkin`, `password = oil can` below `[mail]`. Labels and messages are called `password` too; so the place has
 * to show that a program is configured there.
 */

/** Values of settings without quotes end in one of these, if something follows on the line. */
const ENDS_VALUE = ',&;"\'`)]}';

/** Whether `text` is the password that a setting gives. */
export function isSettingGiven(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  value: GivenValue,
  text: string,
): boolean {
  if (name.kind !== 'password' || operator.compares === true || value.cut) return false;
  if (operator.kind !== 'assign' && operator.sure !== true) return false;
  if (value.below || !MAY_BE_WORDS.test(text)) return false;
  if (!value.quoted && !value.last && !(operator.tight && endsHere(window, value.end))) return false;
  return verdict(window, 'sure words', text, isSureWords) && isSureSetting(window, name, operator, value.quoted, text);
}

const MAY_BE_WORDS = /^\p{L}[^"`()[\]{}<>$%/\\|:;=^]{2,}$/u;

function endsHere(window: TextWindow, at: number): boolean {
  const code = window.at(at);
  return code <= CODE.space || ENDS_VALUE.includes(String.fromCharCode(code));
}

/** Whether what stands at such a place is a password and nothing else. */
function isSureSetting(
  window: TextWindow,
  name: SecretName,
  operator: Operator,
  quoted: boolean,
  text: string,
): boolean {
  const named = window.slice(name.start, name.end);
  if (NAMES_ACTION.test(named)) return false;
  if (operator.sure === true || (quoted && OF_SERVICE.test(named))) return true;
  if (operator.tight && (named.startsWith('-') || followsOption(window, name))) return true;
  const line = lineBefore(window, name.start);
  const begins = BEGINS_SETTING.test(line);
  if (CONSTANT.test(named) && (operator.tight || begins || quoted)) return true;
  if (quoted && isOfConnection(window, name, text)) return true;
  if (!begins && !quoted && !operator.tight) return false;
  if (hasLoginBefore(window, name.start, quoted && text !== text.toLowerCase())) return true;
  return begins && isAmongSettings(window, name);
}

/** `DB_PASSWORD`; `CHANGE_PASSWORD` and `confirmPassword` are what is done with one, or a text about it. */
const CONSTANT = /^(?:[A-Z][A-Z\d]*_(?:[A-Z\d]+_)*|[A-Z]{2,12})?(?:PASS|PASSWORD|PASSWD|PWD|PW|PSK|PASSPHRASE)$/;
const NAMES_ACTION =
  /^(?:set|change|reset|forgot|update|err(?:or)?|label|lbl|msg|message|invalid|wrong|weak|confirm|show|hide|enter|get|type|field|input|missing|request|verify|create|no|bad|has|is|use|action|route|path|page|text|title|placeholder|hint|icon|i18n|require|min|max)[_.-]?(?=[A-Z_.-]|p)|(?:confirm|repeat|again|wrong|invalid|label)/i;

/** `storePassword`, `db_pass`: whose password it is. */
export const OF_SERVICE =
  /(?:^|[_.-]|[a-z\d](?=[A-Z]))(?:db|database|store|keystore|truststore|key|admin|root|super(?:user)?|mysql|mariadb|postgres(?:ql)?|pg|sql|mongo|redis|smtp|imap|mail|email|ftp|sftp|ssh|wifi|wlan|sta|ap|ota|proxy|vpn|ldap|bind|rabbit(?:mq)?|mq|mqtt|master|backup|bot|service|svc|server|jdbc|connection|datasource|elastic(?:search)?|kafka|grafana|rcon|rtsp|samba|smb|nas|router|cert|certificate|pfx|zip|archive|vault|sudo|become|connect|remote|default|http|basic)[_.-]?(?:pass(?:word|wd|phrase)?|pwd|pw)$/i;
/** `name: "editor", password: "…"`, `start('nas', 'rina', password: '…')`: a user stands right before. */
const BEHIND_USER =
  /(?:\b(?:name|login|user|username|as|account)(?::|=| =>?) ?@?["'][\w.@-]{2,40}["'], ?|(?:connect|start|open|login|new|client|session|auth|credentials?)\w{0,12}\(["'][^"'\n]{1,40}["'],(?: ?["'][^"'\n]{1,40}["'],)? )[:@]?["']?$/i;
const LONGEST_CALL = 112;
/** `host="cache", port=6379, password="…"`: arguments of a call and fields of an object that says where to connect. */
const BESIDE_HOST =
  /\b(?:host(?:name)?|server|addr(?:ess)?|user(?:name)?|login|uid|port|database|dbname|db|e-?mail)["']?\s?[=:]>?\s?@?(?:["'][^"'\n]{1,48}["']|\d{2,5}),\s?(?:["']?\w{1,16}["']?\s?[=:]>?\s?[^,()\n]{1,32},\s?){0,2}[:@$"']?$/i;
/** `$mail->Password = '…'`, `builder.Password = "…"`: what is set there is used to sign in. */
const PROPERTY_OF_CLIENT =
  /(?:^|[\s;({])\$?(?:config|conf|cfg|builder|mail(?:er)?|smtp|imap|ftp|ssh|client|conn(?:ection)?|db|options|opts|settings|cred(?:ential)?s?|session|factory|transport|ds|datasource|account|login)(?:\.|->)$/i;

function isOfConnection(window: TextWindow, { start }: SecretName, text: string): boolean {
  const left = window.left(start, LONGEST_CALL);
  return (
    BEHIND_USER.test(left) || (text === text.toLowerCase() && BESIDE_HOST.test(left)) || PROPERTY_OF_CLIENT.test(left)
  );
}

/** `--set db.password=…`, `--from-literal=password=…`, `-e DB_PASSWORD=…`, `--build-arg X_PASSWORD=…`. */
function followsOption(window: TextWindow, { start }: SecretName): boolean {
  return FOLLOWS_OPTION.test(window.left(start, LONGEST_OPTION));
}

const LONGEST_OPTION = 72;
const FOLLOWS_OPTION = /(?:^|\s)--?[a-z][\w-]{0,24}[= ]["']?(?:[\w-]{1,24}\.){0,4}$/;

function lineBefore(window: TextWindow, start: number): string {
  const left = window.left(start, LONGEST_INDENT);
  return left.slice(left.lastIndexOf('\n') + 1);
}

const LONGEST_INDENT = 48;
/** What stands before a setting on its line. */
const BEGINS_SETTING =
  /^[ \t]{0,24}(?:[-+#;] ?)?(?:export |set |env |arg |\$env:|\$|:|ENV |ARG )?["'`]?(?:[\w-]{1,16}\.){0,4}$/i;

/** How far before a setting others are looked for, and on how many lines. */
const REACH = 240;
const MOST_LINES = 5;
/** `[mysqld]`, `environment:`, `stringData:`: a section that holds settings. */
const SECTION =
  /^[ \t]{0,16}(?:\[{1,2}[\w .:@/"-]{1,40}\]{1,2}|(?:- )?(?:environment|env|stringdata|variables|secrets|x-environment):|[\w-]{1,24} [\w.-]{1,32} \{)[ \t]{0,4}$/i;
/** A sibling that no label is: a host, a port, a driver, a number, what is switched on or off. */
const SIBLING =
  /^[ \t]{0,24}(?:[-#] )?["']?(?:[\w-]{1,24}\.){0,4}[\w-]{0,24}(?:host(?:name)?|port|server|addr(?:ess)?|ipaddr|database|db|dbname|driver|dialect|engine|adapter|image|ssid|url|uri|endpoint|domain|region|platform|protocol|listen|shortname|relay|broker|bucket|type|enabled|ssl|tls|timeout|retries|pool)["']?\s{0,4}(?:=>|[:=])\s{0,8}["']?(?:[a-z\d][\w.:/@-]{0,48}|\$\{?\w{1,32}\}?|\d{1,6})["']?[,;]?[ \t]{0,4}$/i;
/** `APP_PORT=8080`: another variable of the environment. */
const VARIABLE = /^[ \t]{0,8}(?:export )?[A-Z][A-Z\d_]{2,40}=[^\s]{0,80}$/;

/** Whether lines before the setting are settings too. */
function isAmongSettings(window: TextWindow, { start }: SecretName): boolean {
  const lines = window.left(start, REACH).split('\n').slice(-MOST_LINES, -1);
  return lines.some((line) => SECTION.test(line) || isSibling(line) || VARIABLE.test(line));
}

function isSibling(line: string): boolean {
  if (!SIBLING.test(line)) return false;
  const [key = '', given = ''] = line.split(/=>|[:=]/, 2).map((part) => part.replaceAll(/[^A-Za-z\d]/g, ''));
  // `host: Host`: a label.
  return key !== '' && !(given !== '' && /^[A-Z][a-z]+$/.test(given)) && given.toLowerCase() !== key.toLowerCase();
}

/** The words that fill the rest of the line behind a sure setting, from `start` to `end`. */
export function isRestOfSetting(window: TextWindow, name: SecretName, operator: Operator, text: string): boolean {
  if (!MAY_BE_WORDS.test(text) || !verdict(window, 'sure words', text, isSureWords)) return false;
  if (STARTS_PROGRAM.test(text) || !BEGINS_SETTING.test(lineBefore(window, name.start))) return false;
  const named = window.slice(name.start, name.end);
  if (NAMES_ACTION.test(named) || named.startsWith('-')) return false;
  return (
    (!operator.tight && CONSTANT.test(named)) || hasLoginBefore(window, name.start) || isAmongSettings(window, name)
  );
}

/** `PGPASSWORD=word psql`: what follows is a command. */
const STARTS_PROGRAM =
  /[ ](?:psql|pg_\w+|mysql\w*|mariadb|restic|borg|duplicity|rclone|docker|podman|kubectl|helm|npm|npx|yarn|pnpm|node|deno|bun|python3?|php|ruby|bundle|rails|go|cargo|make|bash|sh|sudo|ssh|sshpass|scp|rsync|curl|wget|ansible\S*|terraform|packer|gradle|mvn|java|redis-cli|mongosh|sqlplus|env|exec|vault|aws|az|gcloud|git|gpg|wp|occ|uvicorn|gunicorn|flask|django-admin|celery|pytest|jest)(?: |$)/;
