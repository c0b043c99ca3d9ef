import { VERBS_ELSEWHERE } from './names-elsewhere.ts';
import { wordList, wordSet } from './word-set.ts';

/** Verbs and small words between a name and the value it is given in a sentence. */
export const VERBS = wordSet(
  `is are was be adalah ialah yaitu yakni berupa menjadi jadi to ke as sebagai with dengan nya value nilai nilainya isinya of named called bernama following berikut
  ${VERBS_ELSEWHERE.join(' ')}`,
);

/** After one of these the value is an identifier or a fingerprint, not the secret. */
export const NAMES_ANOTHER_THING = wordSet(
  'id ids identifier hash commit sha digest checksum fingerprint version name url email publishable public price product order invoice request trace path file branch tag model region recipient',
);

/** What a sentence calls a secret. */
export const SECRET_NOUNS = wordSet(
  'key keys token tokens secret secrets credential credentials password passphrase kunci sandi rahasia apikey bearer',
);

/** After a secret's name these say whose it is, not that the sentence is about something else. */
export const OWNERS = wordSet(
  'user username owner email mail phone group role service services account test server storage backend page store s',
);

/** Verbs that hand a value over, in English and Indonesian. */
export const GIVING_VERBS =
  wordList(`use using store stored paste pasted rotate rotated revoke revoked leaked leak copy enter send save put add set replace with pass
  provide supply share shared pakai gunakan memakai menggunakan masukkan simpan tempel kirim ganti salin isi isikan berikan dengan`);

/** What makes `IDENTIFIED BY` a clause of SQL rather than a phrase. */
export const SQL_ACCOUNT_STATEMENT =
  /\b(?:create|alter)\s{1,4}(?:user|role|login)\b|\bgrant\s|\bdatabase\s{1,4}link\b/i;
/** The same before `PASSWORD '…'`, whose quotes say more. */
export const SQL_ACCOUNT_WORDS = /\b(?:user|role|login|grant|link|password|account)\b/gi;

/** Of a language whose sentences give a value with a preposition: `cambié la contraseña a …`. */
export const NAMED_ELSEWHERE = /^(?:contrase|senha|clave|mot|mdp|passwort|kennwort|wachtwoord|palavra|parola)/i;
export const PREPOSITIONS = wordSet('a à para en auf zu in naar');
/** After a secret's name, with `to` behind it: what it became follows. */
export const RESETS = wordSet('reset change changed updated');
