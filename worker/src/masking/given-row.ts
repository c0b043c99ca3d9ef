import { CODE } from './characters.ts';
import { isRowOfName } from './given-plain-word.ts';
import type { GivenValue } from './given-value.ts';
import type { SecretName } from './secret-name.ts';
import type { TextWindow } from './text-window.ts';
import { verdict } from './verdicts.ts';
import { isChosenWords, isEasternWord, isLikelyWords } from './words-at-place.ts';

const LONGEST_CELL = 64;
const MOST_CELLS = 4;
const REACH = 200;
/** A row above that gives a user, a network or a mailbox. */
const ROW_OF_USER =
  /\n[ \t]{0,8}\|[\s*_`]{0,6}(?:[\p{L}]{1,16} )?(?:user(?:[ _-]?(?:name|id))?|log-?in|account|e-?mail|ssid|network|usuario|usuário|utilisateur|identifiant|benutzer(?:name)?|gebruiker(?:snaam)?|pengguna|akun|utente|kullanıcı(?: adı)?|логин|пользователь|用户名?|账号|ユーザー名?)[\s*_`]{0,6}\|[ \t*_`]{0,6}[\p{L}\d][^|\n]{1,48}\|/iu;
/** What a cell holds inside its marks. */
const CELL = /^[ \t]{0,24}[`*_"']{0,3}([^|\n`*"']{3,64}?)[`*_"']{0,3}[ \t]{0,40}(?=\||\r?\n|$)/u;

/** The words in the row of a password's name: `| Password | red bricks |`, and what it was in the cells behind. */
export function readRowWords(window: TextWindow, name: SecretName, from: number): readonly GivenValue[] {
  if (name.kind !== 'password') return [];
  const first = cellAt(window, from);
  if (first === undefined || !isRowOfName(window, name, { ...first, start: from })) return [];
  const besideUser = ROW_OF_USER.test(window.left(name.start, REACH));
  const cells: GivenValue[] = [];
  let cell: GivenValue | undefined = first;
  for (let count = 0; cell !== undefined && count < MOST_CELLS; count++) {
    const text = window.slice(cell.start, cell.end);
    const isGiven = besideUser
      ? verdict(window, 'chosen words', text, isChosenWords)
      : verdict(window, 'likely words', text, isLikelyWords) || isEasternWord(text);
    if (isGiven) cells.push(cell);
    const pipe = window.peek(cell.end, LONGEST_CELL).search(/[|\n]/);
    if (pipe < 0 || window.at(cell.end + pipe) !== CODE.pipe) break;
    cell = cellAt(window, cell.end + pipe + 1);
  }
  return cells;
}

function cellAt(window: TextWindow, from: number): GivenValue | undefined {
  const cell = CELL.exec(window.peek(from, LONGEST_CELL + LONGEST_CELL));
  if (cell === null) return undefined;
  const text = (cell[1] ?? '').trim();
  const start = from + cell[0].indexOf(text);
  return { start, end: start + text.length, quoted: false, below: false, last: true, cut: false, call: false };
}
